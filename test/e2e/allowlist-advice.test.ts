import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { createConversationStore } from "../../src/storage/conversations/conversations.js";

describe("north allowlist suggest and try in the built program", () => {
    let place: ClaudeWorkplace;
    beforeEach(async () => {
        place = new ClaudeWorkplace({ "notes.txt": "old\n" });
        const model = { provider: "anthropic", model: "claude-sonnet-5-5" };
        const start = { id: "abc123", root: place.repository, ...model };
        const { journal } = await createConversationStore(place.data).start(start);
        const decisions = [
            ...["npm test", "npm test", "npm test", "make", "make"].map((what) => ({
                what,
                decidedBy: "user" as const,
                status: "approved" as const,
            })),
            { what: "npm test", decidedBy: "policy" as const, status: "approved" as const },
            { what: "make", decidedBy: "user" as const, status: "denied" as const },
        ];
        for (const [index, decision] of decisions.entries()) {
            const base = {
                kind: "review",
                id: `r${index}`,
                at: index + 1,
                callId: `c${index}`,
            } as const;
            journal.append({
                type: "entry_added",
                entry: { ...base, subject: "shell", ...decision },
            });
        }
        await journal.close();
    });
    afterEach(() => place.remove());

    it("A command that was approved by hand three times is suggested until it is allowed", async () => {
        const { stdout } = await place.run(["allowlist", "suggest"]);
        expect(stdout)
            .to.match(/Approved +Command\n +3 +npm test\n/)
            .and.not.contain("make");
        await place.run(["allowlist", "add", "npm test"]);
        const after = await place.run(["allowlist", "suggest", "--json"]);
        expect(JSON.parse(after.stdout)).to.deep.equal({ suggestions: [] });
    });

    it("A folder inside whose name begins with two dots can have an allowed command, one outside cannot", async () => {
        place.write("..made/notes.txt", "");
        const add = (folder: string) =>
            place.run(["allowlist", "add", "npm test", "--cwd", folder, "--json"]);
        expect(JSON.parse((await add("..made")).stdout)).to.deep.include({ cwd: "..made" });
        expect((await add("..")).stderr).to.contain("a folder inside the repository");
        expect((await add("made")).stderr).to.contain("The repository has no folder made.");
    });

    it("north allowlist try judges a command and does not run it", async () => {
        const json = async (command: string) =>
            JSON.parse((await place.run(["allowlist", "try", command, "--json"])).stdout);
        expect(await json("rm notes.txt")).to.deep.include({
            verdict: "ask",
            consequences: ["deletes notes.txt (not in git)"],
        });
        expect(place.files()).to.have.property("notes.txt");
        expect((await json("npm test")).past).to.include({ approved: 3, automatic: 1, denied: 0 });
        await place.run(["allowlist", "add", "npm test"]);
        expect(await json("npm test")).to.include({ verdict: "allow" });
        place.configure({ containment: "auto" });
        expect(await json("make")).to.include({ verdict: "contain" });
        expect(await json("git push")).to.include({ verdict: "ask" });
        const { stdout } = await place.run(["allowlist", "try", "make"]);
        expect(stdout)
            .to.contain("Runs contained")
            .and.contain("approved 2 times by hand, 0 automatically, denied 1.");
        place.configure({ containment: { mode: "required" } });
        expect(await json("npm test")).to.include({ verdict: "contain" });
    });
});
