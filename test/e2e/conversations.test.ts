import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { answer, offered } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE, isHeld } from "../helpers/claude-workplace.js";
import { reply, text, toolUse, type Reply } from "../helpers/vendors/messages-server.js";
import { resultsIn, textsIn } from "./requests.js";

const FILES = { "a.txt": "one\r\ntwo", "old.sh": "#!/bin/sh\n" };

const editAll: Reply = reply(
    text("Changing it."),
    toolUse("edit_1", "edit_replace_exact", { path: "a.txt", old: "one", new: "1" }),
    toolUse("edit_2", "edit_create_file", { path: "new/file.txt", content: "new\n" })
);
const done: Reply = reply(text("Done."));

describe("Conversations and undo", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace(FILES).reusingProcess();
    });
    afterEach(() => place.remove());

    const north = (...args: string[]) => place.run(args);

    const open = (...args: string[]) => place.open(args);

    /** A conversation in which two files were changed; resolves with its id. */
    async function conversation(...more: Reply[]): Promise<string> {
        await place.serve([editAll, done, ...more]);
        const end = await north("-p", "Change things", "--accept-edits");
        expect(end.code, end.stderr).to.equal(0);
        expect(place.files()).to.deep.equal({
            ...FILES,
            "a.txt": "1\r\ntwo",
            "new/file.txt": "new\n",
        });
        return place.conversationIds()[0] ?? "";
    }

    describe("north conversations", () => {
        it("north conversations show prints one as in the chat, and as JSON", async () => {
            const id = await conversation();
            const shown = await north("conversations", "show", id);
            expect(shown.code).to.equal(0);
            expect(shown.stdout)
                .to.contain(`conversation ${id}, 1 exchange`)
                .and.to.contain("❯ Change things")
                .and.to.contain("● Changing it.")
                .and.to.contain("Created new/file.txt (")
                .and.to.contain("● Done.");
            const json = JSON.parse((await north("conversations", "show", id, "--json")).stdout);
            expect(json).to.deep.include({ version: 1, id, root: place.repository });
            expect(json.entries[0]).to.deep.include({ kind: "user", text: "Change things" });
        });

        it("north conversations export writes Markdown or JSON, to stdout or to a new file", async () => {
            const id = await conversation();
            const exported = await north("conversations", "export", id);
            expect(exported.stdout).to.match(new RegExp(`^# Conversation ${id}\n`));
            expect(exported.stdout).to.contain("## You\n\nChange things\n");
            expect(exported.stdout).to.match(
                /## North \(claude-[^)]+\)\n\nDone\.\n\n[^\n]*not tested since the last edit[^\n]*\n$/
            );

            expect(await north("conversations", "export", id, "-o", "-")).to.deep.equal(exported);

            const file = place.place("talk.json");
            const args = ["conversations", "export", id, "--format", "json", "-o", "talk.json"];
            expect((await north(...args)).code).to.equal(0);
            const written = fs.readFileSync(file, "utf8");
            expect(JSON.parse(written).entries.length).to.be.greaterThan(4);
            const again = await north(...args);
            expect(again.code).to.equal(1);
            expect(again.stderr).to.contain("already exists");
            expect((await north(...args, "--force")).code).to.equal(0);
        });

        it("north conversations delete requires --force without a terminal, and suggests similar ids", async () => {
            const id = await conversation();
            const unasked = await north("conversations", "delete", id);
            expect(unasked.code).to.equal(2);
            expect(unasked.stderr).to.contain("--force");
            expect(place.conversationIds()).to.deep.equal([id]);

            const near = `${id.slice(0, 5)}${id.endsWith("0") ? "1" : "0"}`;
            const wrong = await north("conversations", "delete", near, "-f");
            expect(wrong.code).to.equal(1);
            expect(wrong.stderr).to.contain(`Did you mean ${id}?`);

            expect((await north("conversations", "delete", id, "-f")).code).to.equal(0);
            expect(place.conversationIds()).to.deep.equal([]);
        });

        it("A conversation goes by the first digits of its ID and by its name, for every command", async () => {
            const id = await conversation();
            const folder = path.join(place.data, "conversations");
            const twin = `${id.slice(0, 3)}${id[3] === "0" ? "1" : "0"}${id.slice(4)}`;
            const log = fs.readFileSync(path.join(folder, `${id}.jsonl`), "utf8");
            fs.writeFileSync(path.join(folder, `${twin}.jsonl`), log.replaceAll(id, twin));
            for (const command of [["turns"], ["conversations", "show"], ["undo", "--force"]]) {
                const end = await north(...command, id.slice(0, 5).toUpperCase());
                expect([command, end.code, end.stderr]).to.deep.equal([command, 0, ""]);
            }
            const unclear = await north("conversations", "delete", id.slice(0, 3), "--force");
            expect(unclear.code).to.equal(1);
            expect(unclear.stderr)
                .to.contain(
                    `Several conversations have an ID that begins with "${id.slice(0, 3)}".`
                )
                .and.to.match(/Use a whole ID instead: .*,/);
            expect((await north("turns", id.slice(0, 1))).stderr).to.contain("no conversation");
        });

        it("north conversations delete asks first, and Enter means no", async () => {
            const id = await conversation();
            let screen = open("conversations", "delete", id);
            await screen.waitFor(`Permanently delete ${id} ("Change things")?`);
            await offered(screen);
            screen.press("enter");
            await screen.waitFor("Nothing deleted.");
            await screen.close();
            expect(place.conversationIds()).to.deep.equal([id]);
            screen = open("conversations", "delete", id);
            await answer(screen, "yes");
            await screen.waitFor(`Deleted: ${id}`);
            expect(place.conversationIds()).to.deep.equal([]);
        });

        it("north conversations delete refuses an open conversation", async () => {
            const id = await conversation();
            const screen = open("resume", id);
            await screen.waitFor(IDLE);
            await isHeld(place, id);
            const refused = await north("conversations", "delete", id, "--force");
            expect(refused.code).to.equal(1);
            expect(refused.stderr).to.contain(`Conversation ${id} is open in another North`);
            expect(place.conversationIds()).to.deep.equal([id]);
        });

        it("A conversation that is open elsewhere continues in a copy, as its refusal says", async () => {
            const id = await conversation(reply(text("The copy answers.")));
            const screen = open("resume", id);
            await screen.waitFor(IDLE);
            await isHeld(place, id);
            const refused = await north("resume", id, "-p", "And then?");
            const [, advice = ""] = /`north (.*)` continues in a copy/.exec(refused.stderr) ?? [];
            const copy = await north(...advice.split(" "), "-p", "And then?");
            expect(copy.stdout).to.equal("The copy answers.\n");
            expect(place.conversationIds()).to.have.lengthOf(2);
        });
    });

    describe("north search", () => {
        it("north search finds text in any case and says in which conversation and turn", async () => {
            const id = await conversation(reply(text('A "Quoted"\nanswer (1+1).')));
            expect((await north("resume", id, "-p", "And then?")).code).to.equal(0);
            const search = async (needle: string) =>
                JSON.parse((await north("search", needle, "--json")).stdout).hits;
            const [first, ...others] = await search("CHANGE THINGS");
            expect(first).to.deep.include({ id, turn: 1, who: "you", root: place.repository });
            expect([first.excerpt, others]).to.deep.equal(["Change things", []]);
            const [answer] = await search('"quoted"\nanswer (1+1)');
            expect(answer).to.deep.include({ turn: 2, who: "model" });
            expect(answer.excerpt).to.equal('A "Quoted" answer (1+1).');
            expect(await search("edit_apply_batch is nowhere here")).to.deep.equal([]);
            expect((await north("search", "quoted")).stdout).to.contain(`${id}  `);
        });

        it("north search without conversations says so", async () => {
            expect((await north("search", "x")).stdout).to.contain(
                "No conversation contains that text."
            );
        });

        it("north search lists as many places as --limit says and that there are more", async () => {
            await conversation();
            const { stdout } = await north("search", "e", "--limit", "1");
            expect(stdout).to.contain("1 match. There are more; raise --limit to list them.");
        });
    });

    describe("north resume", () => {
        it("north resume without an ID or a terminal says how to name one", async () => {
            await conversation();
            const end = await north("resume");
            expect(end.code).to.equal(2);
            expect(end.stdout).to.equal("");
            expect(end.stderr).to.contain("north resume ID").and.to.contain("--last");
        });

        for (const key of ["ctrl-c", "escape"]) {
            it(`${key} leaves the picker of north resume without doing anything`, async () => {
                const id = await conversation();
                const log = fs.readFileSync(place.conversationFile(id), "utf8");
                const screen = open("resume");
                await screen.waitFor("repository: Change things");
                screen.press(key);
                expect((await screen.exit()).exitCode).to.equal(130);
                expect(screen.transcript()).not.to.contain("Error");
                expect(fs.readFileSync(place.conversationFile(id), "utf8")).to.equal(log);
            });
        }

        it("In a terminal without a cursor north resume takes a number, and draws nothing over", async () => {
            const id = await conversation();
            const screen = place.open(["resume"], { term: "dumb" });
            await screen.waitFor("Number or words (Enter for none):");
            expect(screen.screen()).to.match(/^ {2}1 .*repository: Change things/m);
            screen.type("1\r");
            await screen.waitFor(`conversation ${id}, 1 exchange`);
            expect(screen.raw()).not.to.contain("\u001b");
        });

        it("north resume offers a picker, shows the last exchanges and asks nothing", async () => {
            const id = await conversation(reply(text("Went on.")));
            const screen = open("resume");
            await screen.waitFor("repository: Change things");
            expect(screen.screen()).to.contain("which conversation?").and.to.contain(id);
            screen.type("thing");
            await screen.waitFor(/conversation\? thing/);
            screen.press("enter");
            await screen.waitFor(`conversation ${id}, 1 exchange`);
            await screen.waitFor(IDLE);
            expect(screen.transcript()).to.contain("● Changing it.").and.to.contain("● Done.");
            screen.type("Go on");
            screen.press("enter");
            await screen.waitFor("Went on.");
            expect(textsIn(place.server.requests.at(-1)?.body)).to.include("Change things");
            place.server.assertDone();
        });

        for (const flags of [["-c"], ["--continue"], ["-r", "ID"], ["--resume", "ID"]]) {
            it(`north ${flags.join(" ")} resumes a conversation, also in print mode`, async () => {
                const id = await conversation(reply(text("Went on.")));
                const words = flags.map((word) => (word === "ID" ? id : word));
                const end = await north("-p", ...words, "-m", "sonnet", "Go on");
                expect(end.code, end.stderr).to.equal(0);
                expect(end.stdout).to.equal("Went on.\n");
                expect(place.conversationIds()).to.deep.equal([id]);
            });
        }

        it("north -r without an ID opens the picker, and leaving prints a command that resumes", async () => {
            const id = await conversation();
            const screen = place.open(["-r"], { columns: 250 });
            await screen.waitFor("repository: Change things");
            screen.press("enter");
            await screen.waitFor(`conversation ${id}, 1 exchange`);
            await screen.waitFor(IDLE);
            screen.press("ctrl-d");
            const said = new RegExp(`Resume with: (.* resume ${id}) · \\$0\\.00 · 2 files edited`);
            await screen.waitFor(said);
            expect((await screen.exit()).exitCode).to.equal(0);
            const [, hint = ""] = said.exec(screen.transcript()) ?? [];
            await place.serve([reply(text("Went on."))]);
            const again = await place.run([], { under: ["/bin/sh", "-c", `${hint} -p "Go on"`] });
            expect(again.stdout, again.stderr).to.equal("Went on.\n");
            expect(place.conversationIds()).to.deep.equal([id]);
        });

        it("An edit that was undone does not count as edited when North quits", async () => {
            const id = await conversation();
            const screen = place.open(["-c"], { columns: 250 });
            await screen.waitFor(IDLE);
            screen.type("/undo\r");
            await answer(screen, "yes");
            await screen.waitFor("Undid the edits to 2 files.");
            await screen.waitFor(IDLE);
            screen.press("ctrl-d");
            expect((await screen.exit()).exitCode).to.equal(0);
            const last = screen.transcript().trimEnd().split("\n").at(-1);
            expect(last).to.equal(`Resume with: ${place.northCommand} resume ${id} · $0.00`);
        });

        it("In a turn whose folder was moved away, calls say so instead of finding nothing", async () => {
            await place.serve([
                reply(toolUse("t1", "shell_run", { command: "make move", background: true })),
                reply(
                    toolUse("t2", "read_file", { path: "a.txt" }),
                    toolUse("t3", "edit_create_file", { path: "b.txt", content: "b" }),
                    toolUse("t4", "shell_run", { command: "ls" })
                ),
                done,
            ]);
            const screen = place.open([]);
            await screen.waitFor(IDLE);
            screen.type("Go\r");
            await screen.waitFor("? Run this command?");
            const moved = `${place.repository}-moved`;
            fs.renameSync(place.repository, moved);
            await answer(screen, "no");
            await screen.waitFor(/● Done\.[^]*❯ *$/);
            fs.renameSync(moved, place.repository);
            const results = Object.values(resultsIn(place.server.requests.at(-1)?.body)).slice(1);
            expect(results.map(({ error }) => error?.code)).to.deep.equal(
                Array(3).fill("folder-gone")
            );
        });

        it("A message is not sent if its folder was moved away, and the conversation continues in the new place", async () => {
            const id = await conversation(done);
            const sent = place.server.requests.length;
            const screen = place.open(["-c"], { columns: 200 });
            await screen.waitFor("● Done.");
            await screen.waitFor(IDLE);
            const moved = `${place.repository}-moved`;
            fs.renameSync(place.repository, moved);
            screen.type("Go on\r");
            await screen.waitFor(
                /Not sent\. .* was moved or deleted\.\n.*`\S+ resume \w+ --path \.`/
            );
            await screen.waitFor(IDLE);
            expect(place.server.requests.length).to.equal(sent);
            screen.press("ctrl-d");
            await screen.exit();
            const words = ["resume", id, "--path", ".", "-p", "Go on"];
            const end = await place.run(words, { cwd: moved });
            expect(end.stdout, end.stderr).to.equal("Done.\n");
        });

        it("north resume continues elsewhere when the repository is gone, and tells the model", async () => {
            const id = await conversation(done, done);
            const moved = path.join(place.folder, "moved");
            fs.renameSync(place.repository, moved);
            const elsewhere = path.join(place.folder, "elsewhere");
            fs.mkdirSync(elsewhere);
            const run = (...args: string[]) => place.run(args, { cwd: elsewhere });
            const lost = await run("resume", id, "-p", "And now?");
            expect(lost.code, lost.stderr).to.equal(0);
            expect(lost.stderr).to.contain(`${place.repository}, is gone`);
            expect(textsIn(place.server.requests.at(-1)?.body).join("\n")).to.contain(
                `The project root is now ${elsewhere}, no longer ${place.repository}.`
            );
            const found = await run("resume", id, "-p", "Here?", "--path", moved);
            expect(found.stderr).not.to.contain("is gone");
            const list = JSON.parse((await run("conversations", "--json")).stdout);
            expect(list.conversations[0].root).to.equal(moved);
            place.server.assertDone();
            fs.renameSync(moved, place.repository);
        });

        it("north resume drops a review that was open when North was killed", async () => {
            await place.serve([editAll, done]);
            const screen = open("chat", "Change things");
            await offered(screen, "yes");
            process.kill(screen.pid, "SIGKILL");
            await screen.close();
            // What North was writing for itself at that moment is swept by the next start.
            expect(place.files()).to.include(FILES);
            const [id = ""] = place.conversationIds();
            const end = await north("resume", id, "-p", "Go on");
            expect(end.code, end.stderr).to.equal(0);
            expect(end.stdout).to.equal("Done.\n");
            expect(JSON.stringify(place.server.requests.at(-1)?.body)).to.contain(
                "Interrupted before it finished"
            );
            expect(place.files()).to.deep.equal(FILES);
        });
    });

    describe("north undo", () => {
        it("north undo restores files, redoes it, and tells the model with the next message", async () => {
            const id = await conversation(done);
            const mode = fs.statSync(place.place("new/file.txt")).mode;
            const refused = await north("undo");
            expect(refused.code).to.equal(2);
            expect(refused.stderr).to.contain("--force");

            const undone = await north("undo", "--force");
            expect(undone.code, undone.stderr).to.equal(0);
            expect(undone.stdout)
                .to.contain("a.txt +1 -1")
                .and.to.contain("new/file.txt (deleted)");
            expect(place.files()).to.deep.equal(FILES);

            const redone = JSON.parse((await north("undo", id, "--force", "--json")).stdout);
            expect(redone).to.deep.include({ id, applied: true, isRedo: true });
            expect(place.files()["new/file.txt"]).to.equal("new\n");
            expect(fs.statSync(place.place("new/file.txt")).mode).to.equal(mode);

            await north("undo", id, "--force");
            expect((await north("resume", id, "-p", "And now?")).code).to.equal(0);
            expect(textsIn(place.server.requests.at(-1)?.body).join("\n")).to.contain(
                "These files are as they were before: a.txt, new/file.txt (gone)"
            );
            place.server.assertDone();
        });

        it("north undo refuses when a file has changed since, and names it", async () => {
            await conversation();
            place.write("a.txt", "mine");
            const end = await north("undo", "--force");
            expect(end.code).to.equal(1);
            expect(end.stderr).to.match(
                /^Nothing was undone: a\.txt was changed since\.\n.*`north drop ID TURN`/
            );
            expect(place.files()["new/file.txt"]).to.equal("new\n");
        });

        it("/undo shows a diff, asks, and tells the model once", async () => {
            const id = await conversation(done, done);
            const screen = open("resume", id);
            await screen.waitFor(IDLE);
            screen.type("/undo");
            screen.press("enter");
            await offered(screen, "yes");
            expect(screen.screen()).to.contain("-new").and.to.contain("? Undo these changes?");
            expect(place.files()["a.txt"]).to.equal("1\r\ntwo");
            await answer(screen, "yes");
            await screen.waitFor("Undid the edits to 2 files.");
            expect(place.files()).to.deep.equal(FILES);
            for (const message of ["First", "Second"]) {
                const before = place.server.requests.length;
                screen.type(message);
                screen.press("enter");
                await screen.waitUntil(() => place.server.requests.length > before);
                await screen.waitFor(IDLE);
            }
            const told = textsIn(place.server.requests.at(-1)?.body).filter((one) =>
                one.includes("The user undid changes")
            );
            expect(told.length).to.equal(1);
        });
    });

    it("/conversations, /resume and /export work in the chat", async () => {
        const id = await conversation(reply(text("Another.")), reply(text("Back again.")));
        const screen = open("chat", "Something else");
        await screen.waitFor("Another.");
        const other = place.conversationIds().find((each) => each !== id) ?? "";
        await screen.waitFor(IDLE);
        screen.type("/conversations");
        screen.press("enter");
        await screen.waitFor("Change things");
        screen.press("enter");
        await screen.waitFor(`conversation ${id}, 1 exchange`);
        screen.type("Here?");
        screen.press("enter");
        await screen.waitFor("Back again.");
        expect(textsIn(place.server.requests.at(-1)?.body)).to.include("Change things");
        expect(textsIn(place.server.requests.at(-1)?.body)).not.to.include("Something else");
        screen.type("/export talk.md");
        screen.press("enter");
        await screen.waitFor("Wrote");
        expect(fs.readFileSync(place.place("talk.md"), "utf8")).to.contain("Back again.");
        screen.type(`/resume ${other}`);
        screen.press("enter");
        await screen.waitFor(`conversation ${other}, 1 exchange`);
        screen.type("/resume 00000x");
        screen.press("enter");
        await screen.waitFor("There is no conversation 00000x.");
        place.server.assertDone();
    });
});
