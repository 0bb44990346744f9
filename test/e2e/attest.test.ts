import { expect } from "chai";
import { Workplace } from "../helpers/north-program.js";
import { describeContained } from "../shell/containment/contained.js";
import { git } from "../workspace/make-folder.js";

describeContained("The built program and the checks in a receipt", () => {
    let place: Workplace;
    beforeEach(() => {
        place = new Workplace({ Makefile: "test:\n\t@grep -q good a.txt\n" }).reusingProcess();
        place.configure({ containment: "auto" });
        place.write("a.txt", "good\n");
        git(place.repository, "config", "user.name", "Ann");
        git(place.repository, "config", "user.email", "ann@example.org");
    });
    afterEach(() => place.remove());

    const say = (message: string) => place.run(["--model", "offline", "-p", message]);
    const commit = () => {
        git(place.repository, "add", "-A");
        git(place.repository, "commit", "--quiet", "-m", "All");
    };
    const attested = async () => (await place.run(["attest"])).stdout;

    it("A check that North ran on exactly the files of a commit is in its receipt, with its exit code", async () => {
        await say("run make test");
        commit();
        expect(await attested()).to.contain("make test: exit 0 on exactly this tree");
        const written = await place.run(["attest", "--write"]);
        expect(written.stderr).to.contain("Stored in refs/notes/ai.");
        expect(git(place.repository, "notes", "--ref=ai", "show")).to.contain('"exitCode": 0');
        const verified = await place.run(["attest", "verify"]);
        expect(verified.code, verified.stdout).to.equal(0);
    });

    it("A failed check is in the receipt as well", async () => {
        place.write("a.txt", "bad\n");
        await say("run make test");
        commit();
        expect(await attested()).to.match(/make test: exit 2 on exactly this tree/);
    });

    it("A check on other files is not in the receipt, nor one that ran beside something else", async () => {
        await say("run make test");
        place.write("b.txt", "unseen by the check\n");
        await say("run rm b.txt && make test && echo b > b.txt");
        await say("run make test | cat");
        commit();
        expect(await attested()).not.to.contain("make test");
    });
});
