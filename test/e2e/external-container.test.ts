import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { Workplace } from "../helpers/north-program.js";
import { git } from "../workspace/make-folder.js";

const PRINT = ["--model", "offline", "--contain", "external", "-p"];

/** The offline model repeats what the model gets. */
const SHOWN = { env: { NORTH_RESULTS: undefined } };

describe("The built program where the whole machine is a container", () => {
    let place: Workplace;
    beforeEach(() => {
        place = new Workplace({
            "a.txt": "a\r\n",
            ".gitattributes": "*.txt text=auto\n",
        }).reusingProcess();
        writeFileSync(path.join(place.repository, ".gitignore"), "build\n");
        git(place.repository, "add", "-A");
        git(place.repository, "commit", "--quiet", "-m", "First");
    });
    afterEach(() => place.remove());

    const at = (name: string) => path.join(place.repository, name);

    it("A command runs for real unasked, and its changes are shown, blamed and undone byte for byte", async () => {
        const script =
            "echo b >>a.txt; mkdir build; echo x >build/x; echo n >n.sh; chmod +x n.sh; rm .gitattributes; echo home >~/made";
        writeFileSync(at("make.sh"), script);
        const end = await place.run([...PRINT, "run sh make.sh"], SHOWN);
        expect(end.code, end.stderr).to.equal(0);
        expect(end.stdout).to.contain("Applied: .gitattributes +0 -1, a.txt +1 -0, n.sh +1 -0");
        expect(readFileSync(path.join(place.home, "made"), "utf8")).to.equal("home\n");
        expect(readFileSync(at("a.txt"), "utf8")).to.equal("a\r\nb\n");

        const blame = await place.run(["blame", "a.txt"]);
        expect(blame.stdout).to.match(/2 .*automatic, command +b/);
        const undo = await place.run(["undo", "--force"]);
        expect(undo.code, undo.stderr).to.equal(0);
        expect(readFileSync(at("a.txt"), "utf8")).to.equal("a\r\n");
        expect(readFileSync(at(".gitattributes"), "utf8")).to.equal("*.txt text=auto\n");
        expect([existsSync(at("n.sh")), existsSync(at("build/x"))]).to.deep.equal([false, true]);
    });

    it("A file that cannot be read hides no other change", async () => {
        writeFileSync(at("locked"), "x");
        chmodSync(at("locked"), 0);
        const end = await place.run([...PRINT, "run echo b >b.txt"], SHOWN);
        expect(end.stdout).to.contain("b.txt +1 -0");
    });

    it("A command with a consequence still asks", async () => {
        const end = await place.run([...PRINT, "run git push --force origin main"]);
        expect(end.stderr).to.contain("Denied: git push --force origin main");
    });

    it("`north doctor` and `north allowlist try` name the mode that the settings say", async () => {
        place.configure({ containment: "external" });
        const doctor = await place.run(["doctor", "--json"]);
        expect(doctor.stdout).to.contain("external, by config.json");
        const tried = await place.run(["allowlist", "try", "npm test"]);
        expect(tried.stdout).to.contain("Runs without asking.");
    });

    it("A chat says so in its status line, and /contain switches back", async () => {
        const chat = place.open(["--model", "offline", "--contain", "external"]);
        await chat.waitFor(/ · external · /);
        chat.type("/contain auto\r");
        await chat.waitFor("Containment: auto");
        chat.type("/quit\r");
        await chat.exit();
    });
});
