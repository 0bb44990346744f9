import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { answer, offered, quiet } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import type { PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

const DRAFT = ["--mode", "draft"];
const START = { "a.txt": "one\ntwo\nthree\n", "b.txt": "old\n" };
let calls = 0;

const create = (file: string, content: string) =>
    reply(
        toolUse(`call_${(calls += 1)}`, "edit_create_file", {
            path: file,
            content,
            overwrite: true,
        })
    );
const edit = (file: string, old: string, fresh: string) =>
    reply(toolUse(`call_${(calls += 1)}`, "edit_replace_exact", { path: file, old, new: fresh }));
const done = reply(text("Done."));

describe("A draft in the built program", () => {
    let place: ClaudeWorkplace;
    let terminal: PseudoTerminal;

    beforeEach(() => {
        place = new ClaudeWorkplace(START).reusingProcess();
    });
    afterEach(() => place.remove());

    async function say(message: string): Promise<void> {
        await terminal.waitFor(IDLE);
        terminal.type(`${message}\r`);
    }

    const asked = () => terminal.waitFor("Apply this draft?");
    async function takeFirstHunk(reason = ""): Promise<void> {
        await answer(terminal, "hunk by hunk");
        await terminal.waitFor("Apply hunk 1 of 2");
        await answer(terminal, "yes");
        await terminal.waitFor("Apply hunk 2 of 2");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor("Why not the other hunks?");
        terminal.type(`${reason}\r`);
        await terminal.waitFor("Apply your version? 1 of 2 hunks");
    }

    it("Several edits are asked about once, and applied as one change", async () => {
        await place.serve([
            create("new.txt", "new\n"),
            edit("a.txt", "two", "TWO"),
            edit("b.txt", "old", "fresh"),
            edit("a.txt", "TWO", "2"),
            done,
        ]);
        terminal = await place.chat(DRAFT);
        await say("Do it");
        await asked();
        expect(place.files()).to.deep.equal(START);
        expect(terminal.transcript())
            .to.contain("✎ new.txt (+1 -0)")
            .and.contain("✎ a.txt (+1 -1)")
            .and.match(/3 files \+3 -2 · not tested · \S+\$0\.\d+/);
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied: 3 files +3 -2.");
        const applied = { "a.txt": "one\n2\nthree\n", "b.txt": "fresh\n", "new.txt": "new\n" };
        expect(place.files()).to.deep.equal(applied);
        await say("/undo");
        await answer(terminal, "yes");
        await terminal.waitFor("Undid");
        expect(place.files()).to.deep.equal(START);
    });

    it("What is left for later is continued, and discarding it leaves no trace", async () => {
        await place.serve([edit("b.txt", "old", "new"), done, edit("b.txt", "new", "newer"), done]);
        terminal = await place.chat(DRAFT);
        await say("Begin");
        await asked();
        await answer(terminal, "later");
        await terminal.waitFor("The draft is kept: 1 file +1 -1.");
        await say("Go on");
        await terminal.waitUntil((screen) => screen.split("Apply this draft?").length > 1);
        await asked();
        await answer(terminal, "discard");
        await terminal.waitFor("Draft discarded.");
        await terminal.waitFor(IDLE);
        expect(place.files()).to.deep.equal(START);
        const screen = terminal.transcript();
        expect(screen).to.contain("· 1 file drafted · not tested since the last edit");
        expect(screen).not.to.contain("edited");
    });

    for (const [end, said, told] of [
        ["yes", "Draft applied", "applied only these hunks of the draft: long.txt @@ -1,6 +1,6 @@"],
        [
            "later",
            "Your version is the draft now: 1 file +1 -1.",
            "kept only these hunks of the draft: long.txt @@ -1,6 +1,6 @@",
        ],
    ] as const) {
        it(`The model learns which hunks of a draft were rejected, and why, after "${end}"`, async () => {
            const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n");
            place.write("long.txt", `${lines}\n`);
            await place.serve([
                edit("long.txt", "line 2\n", "first\n"),
                edit("long.txt", "line 28", "last"),
                done,
                done,
            ]);
            terminal = await place.chat(DRAFT);
            await say("Change both ends");
            await asked();
            await takeFirstHunk("the end stays");
            await answer(terminal, end);
            await terminal.waitFor(said);
            const now = place.files()["long.txt"] ?? "";
            expect(now)
                .to.contain(end === "yes" ? "first" : "line 2\n")
                .and.to.contain("line 28");
            await say("Anything else?");
            await terminal.waitUntil(() => place.server.requests.length === 4);
            expect(JSON.stringify(place.server.requests.at(-1)?.body)).to.contain(
                `${told}. Reason: the end stays.`
            );
        });
    }

    it("What the user edited is the draft after later, and is what a yes applies, also if the base moved", async () => {
        await place.serve([edit("a.txt", "one", "draft"), edit("b.txt", "old", "new"), done, done]);
        const env = { EDITOR: "sed -i s/draft/mine/", VISUAL: "" };
        terminal = await place.chat(DRAFT, { env });
        await say("Change both");
        await asked();
        await takeFirstHunk();
        await answer(terminal, "edit");
        await terminal.waitFor("Apply your version? a.txt +1 -1");
        await answer(terminal, "later");
        await terminal.waitFor("Your version is the draft now: 1 file +1 -1.");
        expect(place.files()).to.deep.equal(START);
        fs.appendFileSync(place.place("a.txt"), "four\n");
        await say("/draft apply");
        await asked();
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied");
        expect(place.files()).to.deep.equal({ ...START, "a.txt": "mine\ntwo\nthree\nfour\n" });
    });

    it("What the base has meanwhile is merged and shown again before it is written", async () => {
        await place.serve([edit("a.txt", "one", "ONE"), done]);
        terminal = await place.chat(DRAFT);
        await say("Change the first line");
        await asked();
        fs.appendFileSync(place.place("a.txt"), "four\n");
        await answer(terminal, "yes");
        await terminal.waitFor("Merged with changes made since: a.txt.");
        expect(place.files()["a.txt"]).to.equal("one\ntwo\nthree\nfour\n");
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied");
        expect(place.files()["a.txt"]).to.equal("ONE\ntwo\nthree\nfour\n");
    });

    it("The user's version of a draft is merged, not the draft, if the base moves during its review", async () => {
        await place.serve([edit("a.txt", "one", "ONE"), edit("b.txt", "old", "new"), done]);
        terminal = await place.chat(DRAFT);
        await say("Change both");
        await asked();
        await takeFirstHunk();
        fs.appendFileSync(place.place("a.txt"), "four\n");
        await answer(terminal, "yes");
        await terminal.waitFor("Merged with changes made since: a.txt.");
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied: 1 file +1 -1.");
        expect(place.files()).to.deep.equal({ ...START, "a.txt": "ONE\ntwo\nthree\nfour\n" });
    });

    it("Hunks refused in a review stay refused if the project conflicts with the rest meanwhile", async () => {
        await place.serve([edit("a.txt", "one", "1"), create("b.txt", "refused\n"), done, done]);
        terminal = await place.chat(DRAFT);
        await say("Do it");
        await asked();
        await answer(terminal, "hunk by hunk");
        await terminal.waitFor("Apply hunk 1 of 2");
        await answer(terminal, "yes");
        await terminal.waitFor("Apply hunk 2 of 2");
        place.write("a.txt", "uno\ntwo\nthree\n");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor("Why not the other hunks?");
        terminal.type("not b\r");
        await terminal.waitFor("Let the model resolve 1 conflict?");
        await answer(terminal, "no", { takesReason: false });
        await say("/draft");
        await terminal.waitFor("Draft: 1 file +1 -1");
        await say("Go on");
        await terminal.waitUntil(() => place.server.requests.length === 4);
        expect(JSON.stringify(place.server.requests[3]?.body)).to.contain("Reason: not b.");
    });

    it("What the project gets while the draft is in the editor is merged with the user's version", async () => {
        await place.serve([edit("a.txt", "one", "draft"), done]);
        const script = path.join(place.folder, "editor.sh");
        fs.writeFileSync(script, 'sed -i s/draft/mine/ "$1"; echo four >> a.txt');
        terminal = await place.chat(DRAFT, { env: { EDITOR: `sh ${script}`, VISUAL: "" } });
        await say("Change the first line");
        await asked();
        await answer(terminal, "edit");
        await terminal.waitFor("Apply your version?");
        await answer(terminal, "later");
        await terminal.waitFor("Your version is the draft now: 1 file +1 -1.");
        await say("/draft apply");
        await terminal.waitFor("Merged with changes made since: a.txt.");
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied");
        expect(place.files()["a.txt"]).to.equal("mine\ntwo\nthree\nfour\n");
    });

    it("The review's cost includes sub-agents and turns before", async () => {
        const usage = { input_tokens: 1_000_000 };
        await place.serve(({ body }) => {
            if (JSON.stringify(body.system).includes("looking something up")) {
                return { ...reply(text("In a.txt.")), usage };
            }
            switch (place.server.requests.filter((each) => each.body.stream).length) {
                case 1:
                    return edit("b.txt", "old", "new");
                case 2:
                    return reply(toolUse("ask", "explore", { question: "Where is two?" }));
                default:
                    return done;
            }
        });
        terminal = await place.chat(DRAFT);
        await say("Do it");
        await terminal.waitFor(/b\.txt \+1 -1 · not tested · \$0\.50/);
    });

    it("Conflicts with the base write nothing, show both sides, and can go to the model", async () => {
        await place.serve([
            edit("a.txt", "two", "2"),
            done,
            edit("a.txt", "<<<<<<< draft\n2\n=======\ndeux\n>>>>>>> project\n", "2 deux\n"),
            done,
        ]);
        terminal = await place.chat(DRAFT);
        await say("Change the second line");
        await asked();
        place.write("a.txt", "one\ndeux\nthree\n");
        await answer(terminal, "yes");
        const screen = await terminal.waitFor("Let the model resolve 1 conflict?");
        expect(screen).to.match(/a\.txt:2\s+draft {2}2\s+now {4}deux/);
        expect(place.files()["a.txt"]).to.equal("one\ndeux\nthree\n");
        await answer(terminal, "yes");
        await terminal.waitFor("Apply this draft?");
        expect(JSON.stringify(place.server.requests[2]?.body)).to.contain("now    deux");
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied: 1 file +1 -1.");
        expect(place.files()["a.txt"]).to.equal("one\n2 deux\nthree\n");
        await say("/undo");
        await answer(terminal, "yes");
        await terminal.waitFor("Undid");
        expect(place.files()["a.txt"]).to.equal("one\ndeux\nthree\n");
    });

    it("Unresolved conflicts add no lines to the draft, and can go to the model later with /draft apply", async () => {
        const both = "<<<<<<< draft\n2\n=======\ndeux\n>>>>>>> project\n";
        await place.serve([edit("a.txt", "two", "2"), done, edit("a.txt", both, "2 deux\n"), done]);
        terminal = await place.chat(DRAFT);
        await say("Change the second line");
        await asked();
        place.write("a.txt", "one\ndeux\nthree\n");
        await answer(terminal, "yes");
        await terminal.waitFor("Let the model resolve 1 conflict?");
        await quiet(terminal);
        terminal.type("n");
        await terminal.waitFor("Let the model resolve 1 conflict? no");
        await say("/draft discard");
        await terminal.waitFor("Discard this draft (1 file +1 -1 · not tested)?");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor("The draft is kept.");
        await say("/mode agent");
        await say("/draft apply");
        await terminal.waitFor("Let the model resolve 1 conflict?");
        await answer(terminal, "yes");
        await asked();
        expect(place.files()["a.txt"]).to.equal("one\ndeux\nthree\n");
        const told = JSON.stringify(place.server.requests[2]?.body);
        expect(told).to.contain("now    deux");
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied: 1 file +1 -1.");
        expect(place.files()["a.txt"]).to.equal("one\n2 deux\nthree\n");
    });

    it("/draft apply asks as at the end of a turn, in every mode: hunks, later, discard, apply", async () => {
        const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n");
        place.write("long.txt", `${lines}\n`);
        await place.serve([
            edit("long.txt", "line 2\n", "first\n"),
            edit("long.txt", "line 28", "last"),
            done,
        ]);
        terminal = await place.chat(DRAFT);
        await say("Change both ends");
        await asked();
        await answer(terminal, "later");
        await say("/mode agent");
        await say("/draft apply");
        await asked();
        await answer(terminal, "hunk by hunk");
        await terminal.waitFor("Apply hunk 1 of 2");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor("Apply hunk 2 of 2");
        await answer(terminal, "yes");
        await terminal.waitFor("Why not the other hunks?");
        terminal.type("\r");
        await terminal.waitFor("Apply your version? 1 of 2 hunks");
        terminal.type("\u0003");
        await terminal.waitFor("[Cancelled]");
        await say("/draft apply");
        await terminal.waitFor("Apply this draft? long.txt +1 -1");
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied: 1 file +1 -1.");
        expect(place.files()["long.txt"]).to.contain("line 2\n").and.to.contain("last\n");
        await say("/draft");
        await terminal.waitFor("There is no draft.");
        expect(place.server.requests).to.have.length(3);
    });

    it("An open draft is still there after kill -9, and a resume continues it", async () => {
        await place.serve([edit("b.txt", "old", "new"), done, done]);
        terminal = await place.chat(DRAFT);
        await say("Begin");
        await asked();
        process.kill(terminal.pid, "SIGKILL");
        expect(place.files()).to.deep.equal(START);
        terminal = await place.chat(["resume", "--last"]);
        await say("/draft apply");
        await terminal.waitFor("Apply this draft");
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied");
        expect(place.files()["b.txt"]).to.equal("new\n");
    });

    it("/undo reverts the last turn's part of the draft, and /draft discard discards all of it", async () => {
        await place.serve([edit("b.txt", "old", "new"), done, edit("a.txt", "one", "1"), done]);
        terminal = await place.chat(DRAFT);
        await say("Begin");
        await asked();
        await answer(terminal, "later");
        await terminal.waitFor("The draft is kept: 1 file +1 -1.");
        await terminal.waitFor("draft 1 file +1 -1");
        expect((await place.run(["who"])).stdout).to.contain("draft: b.txt");
        await say("Go on");
        await terminal.waitFor("2 files +2 -2 · not tested");
        await answer(terminal, "later");
        await terminal.waitFor("draft 2 files +2 -2");
        await say("/undo");
        await terminal.waitFor("Undo these changes in the draft");
        await answer(terminal, "yes");
        await terminal.waitFor("Undid the edits to 1 file in the draft.");
        await terminal.waitFor("draft 1 file +1 -1");
        await say("/draft drop");
        await answer(terminal, "yes");
        await terminal.waitFor("Draft discarded.");
        expect(place.files()).to.deep.equal(START);
    });

    const PRINT = ["-p", "--mode", "draft", "--output-format", "json"];

    it("Print mode writes a patch that git apply takes, and nothing to the project", async () => {
        await place.serve([create("new.txt", "new\n"), edit("a.txt", "two", "2"), done]);
        const patch = `${place.folder}/task.patch`;
        const end = await place.run([...PRINT, "--patch", patch, "Do it"]);
        const { draft, mode } = JSON.parse(end.stdout);
        expect(mode).to.equal("draft");
        expect(draft.files).to.deep.equal(["a.txt", "new.txt"]);
        expect(draft.patch).to.equal(fs.readFileSync(patch, "utf8"));
        expect(place.files()).to.deep.equal(START);
        execFileSync("git", ["apply", patch], { cwd: place.repository });
        expect(place.files()).to.deep.equal({
            ...START,
            "a.txt": "one\n2\nthree\n",
            "new.txt": "new\n",
        });
    });

    it("A patch that could not be written costs no request", async () => {
        await place.serve([edit("b.txt", "old", "new"), done]);
        fs.mkdirSync(`${place.folder}/taken`);
        for (const file of ["nowhere/task.patch", "taken"]) {
            const end = await place.run([...PRINT, "--patch", `${place.folder}/${file}`, "Do it"]);
            expect(end.code, file).to.equal(1);
            expect(JSON.parse(end.stdout).error.code).to.equal("not-writable");
        }
        const wrong = await place.run(["-p", "--mode", "agent", "--patch", "task.patch", "Do it"]);
        expect(wrong.code).to.equal(2);
        expect(place.server.requests).to.deep.equal([]);
    });

    it("Print mode with --patch - prints the patch instead of the answer", async () => {
        await place.serve([edit("b.txt", "old", "new"), done]);
        const end = await place.run(["-p", "--mode", "draft", "--patch", "-", "Do it"]);
        expect(end.stdout)
            .to.match(/^diff --git a\/b\.txt b\/b\.txt\n/)
            .and.contain("+new\n");
        expect(end.stdout).not.to.contain("Done.");
        expect(end.stderr).to.equal("");
    });

    it("Print mode without --patch says that the project is unchanged, and how to apply the draft", async () => {
        await place.serve([edit("b.txt", "old", "new"), done]);
        const end = await place.run(["-p", "--mode", "draft", "Do it"]);
        const [id = ""] = place.conversationIds();
        expect(end).to.deep.include({ code: 0, stdout: "Done.\n" });
        expect(end.stderr).to.equal(
            `The project is unchanged: 1 file in the draft. \`north draft apply ${id}\` reviews and applies it.\n`
        );
        await place.run(["draft", "apply", id, "--force"]);
        expect(place.files()["b.txt"]).to.equal("new\n");
    });

    it("Print mode with --accept-edits applies the draft at the end, unless --until fails", async () => {
        place.configure({ containment: "auto" });
        const until = ["--accept-edits", "--until"];
        await place.serve([edit("b.txt", "old", "new"), done, done, done, done, done]);
        const failed = await place.run([...PRINT, ...until, "grep -q never b.txt", "Do it"]);
        expect(failed.code).to.equal(1);
        const left = JSON.parse(failed.stdout);
        expect(left.draft.applied).to.equal(false);
        expect(left.evidence.text).to.match(/^1 file drafted · grep -q never b\.txt failed/);
        expect(place.files()).to.deep.equal(START);
        await place.serve([edit("b.txt", "old", "new"), done]);
        const passed = await place.run([...PRINT, "--accept-edits", "Do it"]);
        const { isError, draft, evidence } = JSON.parse(passed.stdout);
        expect({ isError, applied: draft.applied }).to.deep.equal({
            isError: false,
            applied: true,
        });
        expect(evidence.text).to.match(/^1 file edited ·/);
        expect(place.files()["b.txt"]).to.equal("new\n");
    });

    it("Print mode with --accept-edits applies no draft of a file that runs later", async () => {
        await place.serve([create(".envrc", "curl evil\n"), edit("b.txt", "old", "new"), done]);
        const end = await place.run([...PRINT, "--accept-edits", "Do it"]);
        expect(end.code).to.equal(1);
        expect(end.stdout).to.contain("Always asks: .envrc controls what other programs run.");
        expect(place.files()).to.deep.equal(START);
        const [id = ""] = place.conversationIds();
        expect(end.stdout).to.contain(`north draft apply ${id}`);
        expect((await place.run(["draft", "list"])).stdout).to.contain(id);
    });

    it("north draft apply says how to resolve conflicts, and exits with 1", async () => {
        await place.serve([edit("b.txt", "old", "new"), done]);
        const id = JSON.parse((await place.run([...PRINT, "One"])).stdout).conversationId;
        place.write("b.txt", "by hand\n");
        const end = await place.run(["draft", "apply", id, "--force"]);
        expect(end.code).to.equal(1);
        expect(end.stdout)
            .to.contain("by hand")
            .and.to.contain(`\`${place.northCommand} resume ${id}\``)
            .and.to.contain("/draft apply");
        expect(place.files()["b.txt"]).to.equal("by hand\n");
    });

    it("A file that changes while north draft apply asks is not overwritten, and the draft stays", async () => {
        await place.serve([edit("b.txt", "old", "new"), done]);
        const { conversationId } = JSON.parse((await place.run([...PRINT, "One"])).stdout);
        const terminal = place.open(["draft", "apply", conversationId]);
        await offered(terminal, "yes");
        place.write("b.txt", "by hand\n");
        await answer(terminal, "yes");
        expect((await terminal.exit()).exitCode).to.equal(1);
        expect(terminal.transcript()).to.contain("Nothing was written: b.txt changed just now.");
        expect(place.files()["b.txt"]).to.equal("by hand\n");
    });

    it("north draft lists, shows, applies and discards the drafts of a project", async () => {
        await place.serve([edit("b.txt", "old", "new"), done, edit("a.txt", "one", "1"), done]);
        const first = JSON.parse((await place.run([...PRINT, "One"])).stdout).conversationId;
        const second = JSON.parse((await place.run([...PRINT, "Two"])).stdout).conversationId;
        const list = JSON.parse((await place.run(["draft", "list", "--json"])).stdout);
        expect(list.drafts.map(({ id }: { id: string }) => id)).to.deep.equal([second, first]);
        const terminal = place.open(["draft", "list"], { columns: 50 });
        await terminal.exit();
        const rows = terminal.transcript().trim().split("\n");
        expect(rows.map((row) => row.split(" ")[0])).to.deep.equal(["ID", second, first]);
        const shown = await place.run(["draft", "show", first, "-o", "-"]);
        expect(shown.stdout).to.contain("-old\n+new\n");
        await place.run(["draft", "discard", second]);
        const applied = await place.run(["draft", "apply", first, "--force"]);
        expect(applied.stdout).to.contain("Done.");
        expect(place.files()).to.deep.equal({ ...START, "b.txt": "new\n" });
        const none = await place.run(["draft", "list"]);
        expect(none.stdout).to.contain("No draft is open in this project.");
        const gone = await place.run(["draft", "show", second]);
        expect(gone.stderr).to.contain("has no open draft");
    });

    it("Two Norths that apply one draft at once write it once, and the other says why it did not", async () => {
        await place.serve([create("new.txt", "new\n"), edit("a.txt", "two", "2"), done]);
        const { conversationId } = JSON.parse((await place.run([...PRINT, "Do it"])).stdout);
        const apply = () => place.run(["draft", "apply", conversationId, "--force"]);
        const ends = await Promise.all([apply(), apply()]);
        expect(ends.filter(({ code }) => code === 0)).to.have.length(1);
        const { stderr } = ends.find(({ code }) => code !== 0)!;
        expect(stderr).to.match(/is open in another|has no open draft/);
        const changes = place
            .records(conversationId)
            .filter((record) => record.type === "entry_added" && record.entry.kind === "change");
        expect(changes).to.have.length(1);
        const applied = { "a.txt": "one\n2\nthree\n", "new.txt": "new\n" };
        expect(place.files()).to.deep.equal({ ...START, ...applied });
    });
});
