import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

const AUTHOR = ["-c", "user.name=Ann", "-c", "user.email=ann@example"];

describe("A session in a git worktree of its own", () => {
    let place: ClaudeWorkplace;
    let folder: string;
    const git = (...words: readonly string[]) =>
        execFileSync("git", [...AUTHOR, ...words], { cwd: place.repository, encoding: "utf8" });
    const here = () => place.files()["a.txt"];
    const there = () => readFileSync(path.join(folder, "a.txt"), "utf8");

    beforeEach(() => {
        place = new ClaudeWorkplace({ "a.txt": "one\n" }).reusingProcess();
        folder = path.join(`${place.repository}.worktrees`, "fix");
    });
    afterEach(() => place.remove());

    async function committed(): Promise<void> {
        git("config", "user.name", "Ann");
        git("config", "user.email", "ann@example");
        git("add", ".");
        git("commit", "-qm", "first");
    }

    async function edit(): Promise<void> {
        const input = { path: "a.txt", old: "one", new: "two" };
        await place.serve([
            reply(toolUse("call_1", "edit_replace_exact", input)),
            reply(text("Done.")),
        ]);
        const words = ["-w", "fix", "-p", "Go on", "--accept-edits", "--model", "sonnet"];
        const { code, stderr } = await place.run(words);
        expect(code, stderr).to.equal(0);
    }

    it("-w NAME edits in a worktree with a branch of that name, and leaves the repository alone", async () => {
        await committed();
        await edit();
        expect([here(), there()]).to.deep.equal(["one\n", "two\n"]);
        expect(git("branch", "--list", "fix")).to.contain("+ fix");
        expect(git("status", "--porcelain")).to.equal("");
    });

    it("/worktree shows the worktree, merges it once its diff is confirmed, and removes it", async () => {
        await committed();
        await edit();
        const terminal = await place.chat(["-w", "fix", "-c"]);
        terminal.type("/worktree\r");
        const shown = await terminal.waitFor(/branch\s+fix:\s+0\s+commits\s+ahead\s+of/);
        expect(shown).to.contain(`${folder},`);
        terminal.type("/worktree merge Say two\r");
        const question = await terminal.waitFor(/\? Commit 1 file and merge fix into \w+\?/);
        expect(question).to.contain("-one").and.to.contain("+two");
        expect(here()).to.equal("one\n");
        await answer(terminal, "yes");
        await terminal.waitFor("Merged fix into");
        expect(here()).to.equal("two\n");
        expect(git("log", "-1", "--format=%s")).to.equal("Say two\n");
        terminal.type("/worktree remove\r");
        await answer(terminal, "yes");
        expect((await terminal.exit()).exitCode).to.equal(0);
        expect(terminal.screen()).to.contain("and its branch fix.");
        expect(existsSync(path.dirname(folder))).to.equal(false);
        expect(git("branch", "--list", "fix")).to.equal("");
        const { stdout } = await place.run(["blame", "a.txt"]);
        expect(stdout, "a merged line names its turn").to.match(/^1 +[0-9a-f]{6} #1 .*two$/m);
    });

    it("/worktree merge merges nothing that changed after its diff was shown", async () => {
        await committed();
        await edit();
        const terminal = await place.chat(["-w", "fix", "-c"]);
        terminal.type("/worktree merge\r");
        await terminal.waitFor(/\? Commit 1 file and merge/);
        writeFileSync(path.join(folder, "b.txt"), "not shown\n");
        await answer(terminal, "yes");
        await terminal.waitFor(/changed\s+while\s+you\s+looked/);
        expect(place.files()).to.deep.equal({ "a.txt": "one\n" });
        terminal.type("/worktree merge\r");
        await terminal.waitFor("+not shown");
        await answer(terminal, "yes");
        await terminal.waitFor("Merged fix into");
        expect(place.files()).to.deep.equal({ "a.txt": "two\n", "b.txt": "not shown\n" });
    });

    it("/worktree remove stops its jobs first, with the same question", async () => {
        await committed();
        const command = "while mkdir -p out; do echo >> out/a.txt; sleep 0.1; done";
        const job = toolUse("call_1", "shell_run", { command, background: true });
        await place.serve([reply(job), reply(text("It runs."))]);
        const terminal = await place.chat(["-w", "fix", "--approve-shell"]);
        terminal.type("Start it\r");
        await terminal.waitFor("It runs.");
        terminal.type("/worktree remove\r");
        await terminal.waitFor(/stop\s+1\s+job,\s+and\s+quit\?/);
        await answer(terminal, "yes");
        expect((await terminal.exit()).exitCode).to.equal(0);
        expect(existsSync(folder)).to.equal(false);
    });

    it("/worktree remove names the commits that are not merged, and keeps their branch", async () => {
        await committed();
        await edit();
        git("-C", folder, "commit", "-qam", "Say two");
        const terminal = await place.chat(["-w", "fix", "-c"]);
        terminal.type("/worktree remove\r");
        await terminal.waitFor(/\? Remove\s[^]*Say two/);
        await answer(terminal, "yes");
        expect((await terminal.exit()).exitCode).to.equal(0);
        expect(terminal.screen()).to.match(
            /Its\s+branch\s+fix\s+is\s+kept:\s+it\s+is\s+not\s+merged\./
        );
        expect(existsSync(folder)).to.equal(false);
        expect(git("branch", "--list", "fix")).to.contain("fix");
    });

    it("A merge that conflicts names the files and merges nothing", async () => {
        await committed();
        await edit();
        place.write("a.txt", "three\n");
        git("commit", "-qam", "other");
        const terminal = await place.chat(["-w", "fix", "-c"]);
        terminal.type("/worktree merge\r");
        await answer(terminal, "yes");
        await terminal.waitFor(/fix conflicts with \w+ in 1 file: a\.txt/);
        expect(here()).to.equal("three\n");
        expect(git("status", "--porcelain")).to.equal("");
    });

    it("A merge without a git identity says what to set, and stages nothing", async () => {
        await committed();
        await edit();
        git("config", "--remove-section", "user");
        git("config", "user.useConfigOnly", "true");
        const terminal = await place.chat(["-w", "fix", "-c"]);
        terminal.type("/worktree merge\r");
        await answer(terminal, "yes");
        await terminal.waitFor(
            /Git does not know your name and email\.\s+→?\s*Run `git config --global user\.name/
        );
        expect(git("-C", folder, "status", "--porcelain", "-uno")).to.equal(" M a.txt\n");
    });

    it("A worktree is refused outside a repository with commits, and with a name that leads elsewhere", async () => {
        const unborn = await place.run(["-w", "fix", "-p", "Go on"]);
        expect(unborn.code).to.equal(1);
        expect(unborn.stderr).to.contain("git worktree failed");
        const bad = await place.run(["-w", "../fix", "-p", "Go on"]);
        expect(bad.stderr).to.contain("../fix is not a valid worktree name.");
        const none = await place.run(["-w", "fix", "-p", "Go on"], { cwd: place.home });
        expect(none.stderr).to.contain("is not a git repository");
    });
});
