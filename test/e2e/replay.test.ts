import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { Workplace } from "../helpers/north-program.js";
import { added, userEntry } from "../storage/samples.js";
import { reply, type ReplyBlock, text, toolUse } from "../helpers/vendors/messages-server.js";

const RECORDINGS = path.resolve("test/fixtures/recordings");

/** What a recording was made of, and the contents that it refers to, in Base64 by hash. */
interface RecordedProject {
    readonly files: Readonly<Record<string, string>>;
    readonly objects: Readonly<Record<string, string>>;
}

describe("north replay in the built program", () => {
    let place: Workplace;
    afterEach(() => place.remove());

    /** Puts a recording where North finds it; its id. */
    function load(name: string): string {
        const log = readFileSync(path.join(RECORDINGS, name, "conversation.jsonl"), "utf8");
        const project: RecordedProject = JSON.parse(
            readFileSync(path.join(RECORDINGS, name, "project.json"), "utf8")
        );
        place = new Workplace(project.files).reusingProcess();
        mkdirSync(place.place(".north"));
        const { id } = JSON.parse(log.slice(0, log.indexOf("\n")));
        mkdirSync(path.dirname(place.conversationFile(id)), { recursive: true });
        writeFileSync(place.conversationFile(id), log);
        for (const [hash, content] of Object.entries(project.objects)) {
            const folder = path.join(place.data, "objects", hash.slice(0, 2));
            mkdirSync(folder, { recursive: true });
            writeFileSync(path.join(folder, hash.slice(2)), Buffer.from(content, "base64"));
        }
        return id;
    }

    const RECORDED = {
        edits: "A recording of reads, edits, a batch, contained commands and a streamed file replays equal",
        "cut-off": "A recording with an undo, edits of others, a cancel and a kill replays equal",
        summarized: "A recording with a summary and a dropped turn replays equal",
    };
    for (const [name, sentence] of Object.entries(RECORDED)) {
        it(sentence, async () => {
            const id = load(name);
            const before = place.files();
            const { code, stdout, stderr } = await place.run([
                "replay",
                id,
                "--on",
                place.repository,
            ]);
            expect(stdout + stderr).to.match(/^No difference: \d+ turns, \d+ calls repeated\./);
            expect(code).to.equal(0);
            expect(place.files()).to.deep.equal(before);
        });
    }

    it("A conversation with 200 calls replays without differences, and one planted difference is named", async () => {
        const workplace = new ClaudeWorkplace({
            "a.txt": "a\n".repeat(200),
            "b.txt": "b\n",
        }).reusingProcess();
        place = workplace;
        const reads = Array.from({ length: 198 }, (_, index) =>
            toolUse(
                `read_${index}`,
                "read_file",
                index === 150
                    ? { path: "b.txt" }
                    : { path: "a.txt", range: { start: index + 1, end: index + 1 } }
            )
        );
        const edit = (id: number) =>
            toolUse(`edit_${id}`, "edit_insert_at_line", {
                path: "a.txt",
                line: 1,
                content: "new",
            });
        await workplace.serve([
            reply(edit(1), ...reads.slice(0, 99)),
            reply(edit(2), ...reads.slice(99)),
            reply(text("Done.")),
        ]);
        const recorded = await place.run(["-p", "Read", "--model", "sonnet", "--accept-edits"]);
        expect(recorded.code, recorded.stderr).to.equal(0);
        const [id = ""] = place.conversationIds();
        const equal = await place.run(["replay", id], { env: { ANTHROPIC_API_KEY: undefined } });
        expect(equal.stdout).to.equal("No difference: 1 turn, 200 calls repeated.\n");
        place.write("b.txt", "planted\n");
        const { code, stdout } = await place.run(["replay", id, "--json"]);
        expect(code).to.equal(1);
        const { difference } = JSON.parse(stdout);
        expect(difference).to.deep.include({ turn: 1, call: "Reading b.txt", kind: "result" });
        expect(difference.recorded.data.content).to.equal("b");
        expect(difference.replayed.data.content).to.equal("planted");
        const shown = await place.run(["replay", id]);
        expect(shown.stdout).to.contain('First difference: in turn 1 the call "Reading b.txt"');
        expect(shown.stdout).to.contain("planted");
    });

    const read = (id: string, file: string) => toolUse(id, "read_file", { path: file });
    const insert = (id: string, file: string) =>
        toolUse(id, "edit_insert_at_line", { path: file, line: 1, content: id });
    const run = (id: string, command: string) => toolUse(id, "shell_run", { command });

    async function north(...args: string[]): Promise<string> {
        const { code, stdout, stderr } = await place.run(args);
        expect(code, stdout + stderr).to.equal(0);
        return stdout;
    }

    /** A workplace whose model makes one reply of calls a turn, and says that it is done. */
    async function workplace(
        files: Record<string, string>,
        ...turns: readonly (readonly ReplyBlock[])[]
    ) {
        const made = new ClaudeWorkplace(files).reusingProcess();
        place = made;
        await made.serve(turns.flatMap((calls) => [reply(...calls), reply(text("Done."))]));
    }

    it("An edit that the syntax check flagged replays without differences", async () => {
        const content = "function f( {\n";
        const create = toolUse("c1", "edit_create_file", { path: "bad.js", content });
        await workplace({ "a.txt": "one\n" }, [create]);
        await north("-p", "Create", "--model", "sonnet", "--accept-edits");
        const [id = ""] = place.conversationIds();
        expect(await north("conversations", "export", id, "--format", "json")).to.contain(
            "syntax error"
        );
        expect(await north("replay", id)).to.equal("No difference: 1 turn, 1 call repeated.\n");
    });

    it("A fork and its parent replay without differences, though each edited files that the other had read", async () => {
        await workplace(
            { "a.txt": "a\n", "b.txt": "b\n" },
            [read("read_1", "b.txt"), insert("first", "a.txt")],
            [read("read_2", "a.txt"), insert("second", "b.txt")],
            [read("read_3", "b.txt"), insert("third", "a.txt")]
        );
        const said = ["-p", "--accept-edits"];
        await north("-p", "One", "--accept-edits");
        const [parent = ""] = place.conversationIds();
        await north("resume", parent, "Two", ...said);
        await north("resume", parent, "Another two", ...said, "--fork", "--at", "1");
        const fork = place.conversationIds().find((id) => id !== parent) ?? "";
        expect(await north("replay", parent)).to.equal(
            "No difference: 2 turns, 4 calls repeated.\n"
        );
        expect(await north("replay", fork)).to.equal("No difference: 2 turns, 4 calls repeated.\n");
    });

    it("Withheld secrets and a denied command's contained output replay without differences", async () => {
        await workplace(
            { "config.py": 'URL = "postgres://ada:otter-button-58@db/shop"\n', "a.txt": "a\n" },
            [
                read("read_1", "config.py"),
                run("denied", "cat a.txt; exec 3<>/dev/tcp/192.0.2.1/443"),
                insert("first", "a.txt"),
            ]
        );
        place.configure({ containment: "auto" });
        await north("-p", "Go on", "--accept-edits");
        const [id = ""] = place.conversationIds();
        const log = readFileSync(place.conversationFile(id), "utf8");
        expect(log)
            .to.contain("[secret withheld]")
            .and.to.contain("It needs the network: 192.0.2.1:443, it says.");
        expect(await north("replay", id)).to.equal("No difference: 1 turn, 3 calls repeated.\n");
    });

    it("A conversation in a worktree replays without differences, also on another folder after the worktree is removed", async () => {
        await workplace({ "a.txt": "a\n" }, [
            read("read_1", "a.txt"),
            run("status", "git status --short && cat a.txt"),
            insert("first", "a.txt"),
            run("diff", "git diff --stat; wc -l a.txt"),
        ]);
        const git = (...words: string[]) =>
            execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=a@b", ...words], {
                cwd: place.repository,
            });
        git("add", ".");
        git("commit", "-qm", "first");
        await north("-w", "fix", "Go on", "-p", "--accept-edits");
        const [id = ""] = place.conversationIds();
        expect(await north("replay", id)).to.equal("No difference: 1 turn, 4 calls repeated.\n");
        expect(
            String(git("-C", `${place.repository}.worktrees/fix`, "status", "--short"))
        ).to.equal(" M a.txt\n");
        git("worktree", "remove", "--force", `${place.repository}.worktrees/fix`);
        const gone = await place.run(["replay", id]);
        expect(gone.stderr).to.contain("worktrees/fix, is gone.").and.to.contain("--on DIR");
        expect(await north("replay", id, "--on", place.repository)).to.match(
            /^No difference: 1 turn, 4 calls/
        );
    });

    it("Drafted turns replay without differences: applied, discarded, undone and left open", async () => {
        await workplace(
            { "a.txt": "a\n", "b.txt": "b\n" },
            [insert("first", "a.txt"), run("copy", "mkdir new && cat a.txt > new/c.txt; ls -R")],
            [read("read_2", "new/c.txt"), run("list", "ls; cat a.txt"), insert("second", "a.txt")],
            [insert("third", "b.txt"), run("gone", "rm -r new; cat b.txt")],
            [read("read_4", "b.txt"), insert("fourth", "b.txt"), run("look", "cat *.txt; ls new")],
            [read("read_5", "b.txt"), insert("fifth", "a.txt")]
        );
        place.configure({ containment: "auto" });
        const draft = ["-p", "--mode", "draft"];
        await north(...draft, "One");
        const [id = ""] = place.conversationIds();
        await north("draft", "apply", id, "--force");
        await north("resume", id, "Two", "-p", "--accept-edits");
        await north("resume", id, "Three", ...draft);
        await north("draft", "discard", id);
        await north("resume", id, "Four", ...draft);
        place.write("b.txt", "b\nby someone else\n");
        await north("resume", id, "Five", "-p", "--accept-edits");
        const before = place.files();
        expect(await north("replay", id)).to.equal("No difference: 5 turns, 12 calls repeated.\n");
        expect(place.files()).to.deep.equal(before);
    });

    it("A replay runs in the project's own path, and neither its commits nor its outputs get there", async () => {
        await workplace({ "a.txt": "a\n", ".gitignore": "out/\n" }, [
            run("path", "pwd -P | wc -c"),
            run("build", "mkdir out && cp a.txt out/"),
            run("use", "cat out/a.txt"),
            run("stage", "git add a.txt"),
            insert("first", "a.txt"),
        ]);
        place.configure({ containment: "auto" });
        await north("-p", "Go on", "--accept-edits");
        const [id = ""] = place.conversationIds();
        rmSync(place.place("out"), { recursive: true, force: true });
        const git = (...words: string[]) =>
            execFileSync("git", words, { cwd: place.repository, encoding: "utf8" });
        git("rm", "-rq", "--cached", "--ignore-unmatch", ".");
        expect(await north("replay", id)).to.equal(
            "No difference: 1 turn, 4 calls repeated. 1 call could not be repeated.\n"
        );
        expect(place.files()).to.have.all.keys("a.txt", ".gitignore");
        expect(git("diff", "--cached", "--name-only")).to.equal("");
    });

    it("Ctrl+C ends a replay of turns in which nothing waits", async () => {
        place = new Workplace();
        const turns = Array.from({ length: 4_000 }, (_, index) =>
            added(userEntry(`turn ${index}`))
        );
        const start = { version: 1, id: "abcdef", rootHash: "", provider: "p", model: "m", at: 1 };
        const records = [
            { type: "conversation_started", root: place.repository, ...start },
            ...turns,
        ];
        mkdirSync(path.dirname(place.conversationFile("abcdef")), { recursive: true });
        const lines = records.map((record) => `${JSON.stringify(record)}\n`);
        writeFileSync(place.conversationFile("abcdef"), lines.join(""));
        const terminal = place.open(["replay", "abcdef"]);
        await terminal.waitFor("turn 1 of 4000");
        terminal.press("ctrl-c");
        expect((await terminal.exit()).exitCode).to.equal(130);
        expect(terminal.screen()).not.to.contain("No difference");
    });
});
