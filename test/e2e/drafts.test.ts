import * as fs from "node:fs";

import { expect } from "chai";

import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import type { PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

const DRAFT = ["--mode", "draft"];
const START = { "a.txt": "one\ntwo\nthree\n", "b.txt": "old\n" };
let calls = 0;

const create = (path: string, content: string) =>
    reply(toolUse(`call_${(calls += 1)}`, "edit_create_file", { path, content, overwrite: true }));
const edit = (path: string, old: string, fresh: string) =>
    reply(toolUse(`call_${(calls += 1)}`, "edit_replace_exact", { path, old, new: fresh }));
const done = reply(text("Done."));

describe("A draft in the built program", () => {
    let place: ClaudeWorkplace;
    let terminal: PseudoTerminal;

    beforeEach(() => {
        place = new ClaudeWorkplace(START);
    });
    afterEach(() => place.remove());

    async function say(message: string): Promise<void> {
        await terminal.waitFor(IDLE);
        terminal.type(`${message}\r`);
    }

    const asked = () => terminal.waitFor("Apply this draft?");

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
            .and.contain("3 files +3 -2 · not tested");
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
        expect(place.files()).to.deep.equal(START);
    });

    it("Refused hunks are dropped, and the model learns which and why", async () => {
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
        await answer(terminal, "hunk by hunk");
        await terminal.waitFor("Apply hunk 1 of 2");
        await answer(terminal, "yes");
        await terminal.waitFor("Apply hunk 2 of 2");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor("no, because");
        terminal.type("the end stays\r");
        await terminal.waitFor("Apply your version? 1 of 2 hunks");
        await answer(terminal, "yes");
        await terminal.waitFor("Draft applied");
        const now = place.files()["long.txt"] ?? "";
        expect(now).to.contain("first").and.to.contain("line 28");
        await say("Anything else?");
        await terminal.waitUntil(() => place.server.requests.length === 4);
        expect(JSON.stringify(place.server.requests.at(-1)?.body))
            .to.contain("refused the rest. Reason: the end stays")
            .and.contain("long.txt @@ -1,6 +1,6 @@");
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
        const screen = await terminal.waitFor("Resolve 1 conflict?");
        expect(screen).to.match(/a\.txt:2\s+draft {2}2\s+now {4}deux/);
        expect(place.files()["a.txt"]).to.equal("one\ndeux\nthree\n");
        terminal.press("down");
        terminal.press("enter");
    });
});
