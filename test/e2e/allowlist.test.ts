import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";

describe("north allowlist in the built program", () => {
    let place: ClaudeWorkplace;
    beforeEach(() => {
        place = new ClaudeWorkplace({ "notes.txt": "old\n" });
    });
    afterEach(() => place.remove());

    it("A folder inside whose name begins with two dots can have an allowed command, one outside cannot", async () => {
        place.write("..made/notes.txt", "");
        const add = (folder: string) =>
            place.run(["allowlist", "add", "npm test", "--cwd", folder, "--json"]);
        expect(JSON.parse((await add("..made")).stdout)).to.deep.include({ cwd: "..made" });
        expect((await add("..")).stderr).to.contain("a folder inside the repository");
    });

    it("A tried command is judged and not run", async () => {
        const json = async (command: string) =>
            JSON.parse((await place.run(["allowlist", "try", command, "--json"])).stdout);
        expect(await json("rm notes.txt")).to.deep.include({
            verdict: "ask",
            consequences: ["deletes notes.txt (not in git)"],
        });
        expect(place.files()).to.have.property("notes.txt");
        expect(await json("npm test")).to.include({ verdict: "ask" });
        await place.run(["allowlist", "add", "npm test"]);
        expect(await json("npm test")).to.include({ verdict: "allow" });
        place.configure({ containment: "auto" });
        expect(await json("make")).to.include({ verdict: "contain" });
        expect(await json("git push")).to.include({ verdict: "ask" });
        const { stdout } = await place.run(["allowlist", "try", "make"]);
        expect(stdout).to.contain("Runs contained");
        place.configure({ containment: { mode: "required" } });
        expect(await json("npm test")).to.include({ verdict: "contain" });
    });
});
