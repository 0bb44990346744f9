import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect } from "chai";
import { LINES_WITHOUT_CHANGES } from "../../src/core/history/applied-changes.js";
import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

const AUTOMATIC = ["--accept-edits", "--model", "sonnet"];

describe("The history of a project in the built program", () => {
    let place: ClaudeWorkplace;
    beforeEach(() => {
        place = new ClaudeWorkplace({ "notes.txt": "committed\n" }).reusingProcess();
        const git = (...words: readonly string[]) =>
            execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example", ...words], {
                cwd: place.repository,
            });
        git("add", ".");
        git("commit", "-qm", "first");
    });
    afterEach(() => place.remove());

    /** One turn in print mode that writes a line after another. */
    async function add(line: string, after: string, resumed?: string): Promise<void> {
        const edit = { path: "notes.txt", anchor: after, content: `${line}\n` };
        await place.serve([
            reply(toolUse(`call_${line}`, "edit_after_anchor", edit)),
            reply(text("Done.")),
        ]);
        const start = resumed === undefined ? [] : ["resume", resumed];
        const words = [...start, "-p", `Add ${line}`, ...AUTOMATIC];
        const { code, stderr } = await place.run(words);
        expect(code, stderr).to.equal(0);
    }

    it("north blame names the turn of each line, and git's commit for the others", async () => {
        await add("second", "committed");
        const [id = ""] = place.conversationIds();
        await add("third", "second", id);
        writeFileSync(place.place("notes.txt"), "committed\nmine\nsecond\nthird\n");
        const { stdout, code } = await place.run(["blame", "notes.txt"]);
        const rows = stdout
            .split("\n")
            .map((row) => row.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, "WHEN"));
        expect(rows[0]).to.match(/^1 {2}git [0-9a-f]{10} +WHEN +Ann +committed$/);
        expect(rows[1]).to.match(/^2 {2}not North +mine$/);
        expect(rows[2]).to.match(new RegExp(`^3 {2}${id} #1 +WHEN +automatic +second$`));
        expect(rows[3]).to.match(new RegExp(`^4 {2}${id} #2 +WHEN +automatic +third$`));
        expect(stdout).to.match(new RegExp(`${id} #2 +claude-sonnet\\S+ +Add third\n$`));
        expect(code).to.equal(0);
        const json = JSON.parse((await place.run(["blame", "notes.txt:3", "--json"])).stdout);
        expect(json.lines).to.have.lengthOf(1);
        expect(json.lines[0].north).to.deep.include({ approvedBy: "automatic" });
        expect(json.lines[0].north.turn).to.include({ conversationId: id, question: "Add second" });
    });

    it("Lines that say nothing about changes begin as blame expects, which skips them unparsed", async () => {
        await add("second", "committed");
        const [id = ""] = place.conversationIds();
        const kinds = place.records(id).map((record) => {
            const line = JSON.stringify(record);
            const isSkipped = LINES_WITHOUT_CHANGES.some((start) => line.startsWith(start));
            const kind = record.type === "entry_added" ? record.entry.kind : record.type;
            return `${kind}${isSkipped ? " skipped" : ""}`;
        });
        expect(kinds).to.include.members([
            "assistant skipped",
            "tool_result skipped",
            "entry_updated skipped",
        ]);
        expect(kinds).not.to.include("tool_result").and.not.to.include("entry_updated");
        expect(kinds).to.include.members(["user", "change"]);
    });

    it("A request that loses the cache says why and what it cost, and north costs --by reason sums up", async () => {
        const usage = { cache_creation_input_tokens: 200_000, cache_read_input_tokens: 0 };
        const answered = { ...reply(text("Done.")), usage };
        await place.serve([answered, answered]);
        const first = await place.run(["-p", "Begin", "--model", "sonnet"]);
        expect(first.stderr).not.to.contain("cache miss");
        const { stderr } = await place.run(["resume", "--last", "-p", "Go on", "--model", "opus"]);
        expect(stderr).to.match(/^cache miss: another model, \$\d\.\d\d extra$/m);
        const { stdout } = await place.run(["costs", "--by", "reason", "--json"]);
        const [row] = JSON.parse(stdout).rows;
        expect(row).to.include({ key: "another model", requests: 1, inputTokens: 200_010 });
        expect(stderr).to.contain(`$${row.costUsd.toFixed(2)}`);
    });

    it("A passing --until is evidence, in the result and in exports, as are commands of the settings", async () => {
        place.configure({ checkCommands: ["./verify.sh"] });
        const edit = { path: "notes.txt", anchor: "committed", content: "more\n" };
        await place.serve([
            reply(toolUse("call_1", "edit_after_anchor", edit)),
            reply(text("Done.")),
        ]);
        const until = ["--until", "grep -q more notes.txt", "--output-format", "json"];
        const { stdout } = await place.run(["-p", "Go on", ...AUTOMATIC, ...until]);
        const { evidence, conversationId } = JSON.parse(stdout);
        expect(evidence.text).to.match(
            /^1 file edited · grep -q more notes\.txt passed \d\d:\d\d$/
        );
        const exported = await place.run(["conversations", "export", conversationId]);
        expect(exported.stdout).to.contain(evidence.text);
        place.write("verify.sh", "exit 0\n");
        await place.serve([
            reply(toolUse("call_2", "edit_after_anchor", edit)),
            reply(toolUse("call_3", "shell_run", { command: "./verify.sh" })),
            reply(text("Done.")),
        ]);
        const words = ["resume", conversationId, "-p", "Verify", ...AUTOMATIC, "--approve-shell"];
        await place.run(["allowlist", "add", "./verify.sh"]);
        execFileSync("chmod", ["+x", place.place("verify.sh")]);
        const { code, stderr } = await place.run(words);
        expect(code, stderr).to.equal(0);
        const again = await place.run(["conversations", "export", conversationId]);
        expect(again.stdout).to.match(/1 file edited · \.\/verify\.sh (passed|failed)/);
    });

    it("north blame says which lines a file has when others are asked for", async () => {
        const { code, stderr } = await place.run(["blame", "notes.txt:7"]);
        expect(code).to.equal(1);
        expect(stderr).to.contain("notes.txt has only 1 line.");
    });

    it("north drop undoes one turn of several, and north undo reverses it", async () => {
        await add("second", "committed");
        const [id = ""] = place.conversationIds();
        await add("third", "second", id);
        writeFileSync(place.place("notes.txt"), "mine\ncommitted\nsecond\nthird\n");
        const listed = JSON.parse((await place.run(["turns", "--json"])).stdout);
        expect(listed.turns.map(({ turn }: { turn: number }) => turn)).to.deep.equal([1, 2]);
        const narrow = place.open(["turns"], { columns: 30 });
        await narrow.exit();
        expect(narrow.transcript().trim().split("\n")).to.have.lengthOf(3);
        const dropped = await place.run(["drop", id, "2", "--force"]);
        expect(dropped.stdout).to.contain("-third").and.contain("`north undo` reverses it.");
        expect(place.files()["notes.txt"]).to.equal("mine\ncommitted\nsecond\n");
        await place.run(["undo", id, "--force"]);
        expect(place.files()["notes.txt"]).to.equal("mine\ncommitted\nsecond\nthird\n");
    });

    it("north drop shows conflicts, writes nothing and exits with 1", async () => {
        await add("second", "committed");
        const [id = ""] = place.conversationIds();
        writeFileSync(place.place("notes.txt"), "committed\nSECOND\n");
        const { code, stdout } = await place.run(["drop", id, "1", "--force"]);
        expect(code).to.equal(1);
        expect(stdout).to.contain("notes.txt:2\n  the turn's  second\n  now         SECOND");
        expect(place.files()["notes.txt"]).to.equal("committed\nSECOND\n");
    });

    it("north bisect names the turn after which a command fails, with its diff", async () => {
        await add("second", "committed");
        const [id = ""] = place.conversationIds();
        await add("third", "second", id);
        const command = "! grep -q third notes.txt";
        const { code, stdout, stderr } = await place.run(["bisect", "--run", command]);
        expect(stderr).to.match(/^after turn 1: passes \(\S+\)\nafter turn 2: exit 1 \(\S+\)\n$/);
        expect(stdout).to.contain(`Turn 2 is the first after which \`${command}\` fails`);
        expect(stdout).to.contain("+third");
        expect(code).to.equal(0);
        const terminal = place.open(["bisect", "--run", command]);
        await terminal.waitFor(/Running `! grep -q third notes\.txt`/);
        await terminal.exit();
        const none = await place.run(["bisect", id, "--run", "true", "--json"]);
        expect(none.code).to.equal(1);
        expect(JSON.parse(none.stdout)).to.include({ id, result: "never-fails" });
    });

    it("north shrink removes what a command does not need, once that is confirmed", async () => {
        const edit = { path: "notes.txt", anchor: "committed", content: "second\n" };
        const file = { path: "more.js", content: "f();\n" };
        await place.serve([
            reply(
                toolUse("call_1", "edit_after_anchor", edit),
                toolUse("call_2", "edit_create_file", file)
            ),
            reply(text("Done.")),
        ]);
        expect((await place.run(["-p", "Add it", ...AUTOMATIC])).code).to.equal(0);
        const shrink = ["shrink", "--turn", "1", "--run", "grep -q f more.js"];
        const seen = await place.run([...shrink, "--json"]);
        const report = JSON.parse(seen.stdout);
        expect(report).to.deep.include({ name: "turn 1", isMinimal: true, applied: false });
        expect(report.needed).to.deep.equal([
            { path: "more.js", header: "(the whole file)", kind: "code" },
        ]);
        expect(report.apart).to.deep.equal([
            { path: "notes.txt", header: "@@ -1,1 +1,2 @@", kind: "documents" },
        ]);
        const other = ["shrink", "--turn", "1", "--run", "true"];
        const { code, stderr } = await place.run(other);
        expect(stderr).to.contain("`true` passes without turn 1's 1 hunk of code too");
        expect(code).to.equal(1);
        const none = await place.run(["shrink", "--run", "true"]);
        expect(none.stderr).to.contain("The conversation has no open draft.");
        expect(none.stderr).to.contain("--turn N");
    });

    it("/shrink removes from the draft what the command does not need, and /undo restores it", async () => {
        const file = (name: string) => ({ path: name, content: "f();\n" });
        await place.serve([
            reply(
                toolUse("call_1", "edit_create_file", file("needed.js")),
                toolUse("call_2", "edit_create_file", file("more.js"))
            ),
            reply(text("Done.")),
        ]);
        const chat = await place.chat(["--mode", "draft", "--model", "sonnet"]);
        chat.type("/shrink\r");
        await chat.waitFor("Usage: /shrink [CMD] [--turn N]");
        chat.type("/shrink true\r");
        await chat.waitFor("The conversation has no open draft.");
        chat.type("Add them\r");
        await chat.waitFor("Apply this draft");
        await answer(chat, "later");
        await chat.waitFor(IDLE);
        chat.type("/shrink test -e needed.js\r");
        await chat.waitFor("Remove 1 hunk from the draft?");
        expect(chat.transcript()).to.match(/Needed:\s+needed\.js[\s\S]*Not needed:\s+more\.js/);
        await answer(chat, "yes");
        await chat.waitFor("/undo reverses it.");
        chat.type("/draft\r");
        await chat.waitFor(/Draft: 1 file \+1 -0/);
        chat.type("/undo\r");
        await chat.waitFor("more.js");
        await answer(chat, "yes");
        await chat.waitFor(IDLE);
        chat.type("/draft\r");
        await chat.waitFor(/Draft: 2 files \+2 -0/);
        chat.type("/quit\r");
        await chat.exit();
    });

    it("north who names an open session, and nobody once it has ended", async () => {
        const edit = { path: "notes.txt", anchor: "committed", content: "second\n" };
        await place.serve([
            reply(toolUse("call", "edit_after_anchor", edit)),
            reply(text("Done.")),
        ]);
        const terminal = await place.chat(["--accept-edits", "--model", "sonnet"]);
        terminal.type("Add it\r");
        await terminal.waitFor("● Done.");
        const [id = ""] = place.conversationIds();
        const { stdout } = await place.run(["who"]);
        expect(stdout).to.match(
            new RegExp(`\n${id} +\\S+ \\S+ +claude-sonnet\\S+ +1 +notes.txt +Add it\n$`)
        );
        const [session] = JSON.parse((await place.run(["who", "--json"])).stdout).sessions;
        expect(session).to.deep.include({ id, turn: 1, question: "Add it" });
        terminal.press("ctrl-d");
        await terminal.exit();
        expect((await place.run(["who"])).stdout).to.equal("No session is open in this project.\n");
    });
});
