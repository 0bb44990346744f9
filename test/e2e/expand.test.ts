import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace, IDLE, KEY } from "../helpers/claude-workplace.js";

import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { eventually } from "../helpers/north-program.js";
import type { PseudoTerminal } from "../helpers/pseudo-terminal.js";

const LOOK = { columns: 80, rows: 60 };

describe("/expand in the built program", () => {
    let place: ClaudeWorkplace;
    let terminal: PseudoTerminal;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "notes.txt": "old\n" });
    });
    afterEach(() => place.remove());

    async function send(message: string): Promise<void> {
        terminal.type(message);
        await terminal.waitFor(`❯ ${message}`);
        terminal.press("enter");
        await terminal.waitFor(`❯ ${message}\n`);
    }

    it("/expand shows the whole output of a command and a change, also after a resume", async () => {
        const run = { command: `seq 1 40; echo ${KEY}` };
        const edit = { path: "notes.txt", old: "old", new: "fresh" };
        await place.serve([
            reply(toolUse("run_1", "shell_run", run)),
            reply(toolUse("edit_1", "edit_replace_exact", edit)),
            reply(text("Done.")),
        ]);
        terminal = await place.chat(["--approve-shell", "--accept-edits"], LOOK);
        await send("Count");
        await terminal.waitFor("● Done.");
        expect(terminal.screen())
            .to.contain("    … 31 lines above · /expand shows all\n    32\n    33\n")
            .and.not.contain("    31\n");
        await terminal.waitFor(IDLE);
        await send("/expand");
        await terminal.waitFor(/── Running seq 1 40.* ──\n {4}1\n {4}2\n/);
        await terminal.waitFor(/ {4}30\n {4}31\n {4}32\n/);
        await terminal.waitFor("    40\n    [secret withheld]\n");
        await terminal.waitFor(IDLE);
        terminal.press("ctrl-d");
        await terminal.exit();

        terminal = await place.chat(["resume", "--last"]);
        await send("/expand diff");
        await terminal.waitFor("notes.txt +1 -1");
        await terminal.waitFor("-old");
        await terminal.waitFor("+fresh");
        const objects = path.join(place.data, "objects");
        const kept = readdirSync(objects, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"));
        expect(kept.some((content) => content.includes("\n31\n"))).to.equal(true);
        expect(kept.join("\n")).not.to.contain(KEY);
    });

    it("/expand shows the whole output of a command that was cancelled or timed out", async () => {
        const endless = { command: "seq 1 40; sleep 300" };
        // Again with a longer limit if this machine is too slow to print that much in it.
        let timeoutMs = 500;
        await place.serve(({ body: { messages } }) => {
            if (messages.length === 1) return reply(toolUse("run_1", "shell_run", endless));
            if (JSON.stringify(messages.at(-1)).includes("140\\")) return reply(text("Done."));
            timeoutMs *= 4;
            const late = { command: "seq 101 140; sleep 300", timeoutMs };
            return reply(toolUse(`run_${timeoutMs}`, "shell_run", late));
        });
        terminal = await place.chat(["--approve-shell"], LOOK);
        await send("Count");
        await terminal.waitFor(/ {4}40 *$/m);
        terminal.press("ctrl-c");
        // A shell that is still there when its command ends adds `Terminated`.
        await terminal.waitFor(
            /\[Cancelled\] Running seq 1 40; sleep 300\n {4}… (?:30 lines above · \/expand shows all\n {4}31|31 lines above · \/expand shows all\n {4}32)\n/
        );
        await terminal.waitFor(IDLE);
        await eventually(
            () => JSON.stringify(place.records(place.conversationIds()[0]!)).includes("wholeHash"),
            "the record of the command"
        );
        await send("/expand");
        await terminal.waitFor(/── Running seq 1 40; sleep 300 ──\n {4}1\n {4}2\n/);
        await terminal.waitFor(IDLE);
        await send("Go on");
        await terminal.waitFor("● Done.");
        expect(terminal.screen()).to.match(
            /time limit after .*\n {4}… 3[01] lines above · \/expand/
        );
        await terminal.waitFor(IDLE);
        await send("/expand");
        await terminal.waitFor(/── Running seq 101 140; sleep 300 ──\n {4}101\n/);
    });

    it("/expand shows what the user's own command printed beyond the visible part", async () => {
        await place.serve([]);
        terminal = await place.chat([], LOOK);
        await send("!seq 1 300");
        await terminal.waitUntil(() =>
            terminal.transcript().includes("… 100 lines above · /expand shows all\n    101\n")
        );
        await terminal.waitFor(IDLE);
        terminal.type("/expand ");
        await terminal.waitFor(/1 +! seq 1 300/);
        terminal.press("tab");
        await terminal.waitFor("❯ /expand 1");
        terminal.press("enter");
        await terminal.waitFor(IDLE);
        await terminal.waitUntil(() =>
            terminal.transcript().includes("── ! seq 1 300 ──\n    1\n    2\n")
        );
    });
});
