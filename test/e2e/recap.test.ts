import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

const HOUR = 3_600_000;
const RECAP = /Last step \d{4}-\d\d-\d\d/;

describe("Coming back to a conversation", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace();
    });
    afterEach(() => place.remove());

    const todos = (status: string) => ({
        todos: [
            { content: "Write the clock", status: "completed" },
            { content: "Test the clock", status },
        ],
    });

    /** As if everything had happened that much earlier. */
    function age(milliseconds: number): void {
        const names = readdirSync(place.data, { recursive: true, encoding: "utf8" });
        for (const name of names.filter((each) => each.endsWith(".jsonl"))) {
            const file = path.join(place.data, name);
            const earlier = readFileSync(file, "utf8").replace(
                /"at":(\d{13})/g,
                (_all, at: string) => `"at":${Number(at) - milliseconds}`
            );
            writeFileSync(file, earlier);
        }
    }

    async function work(status: string): Promise<void> {
        await place.serve([
            reply(
                toolUse("t1", "todo_write", todos(status)),
                toolUse("t2", "edit_create_file", { path: "clock.txt", content: "x\n" })
            ),
            reply(text("There is a clock.")),
            reply(text("Goodbye.")),
        ]);
        const terminal = await place.chat(["--accept-edits"]);
        terminal.type("Make a clock\r");
        await terminal.waitFor("There is a clock.");
        terminal.type("Thanks\r");
        await terminal.waitFor("Goodbye.");
        terminal.type("/quit\r");
        await terminal.exit();
    }

    async function comeBack(args: readonly string[], command?: string): Promise<string> {
        const terminal = await place.chat(args);
        if (command !== undefined) {
            terminal.type(`${command}\r`);
            await terminal.waitFor(/── conversation/);
        }
        terminal.type("/quit\r");
        await terminal.exit();
        return terminal.transcript();
    }

    it("A conversation resumed after more than an hour shows turns, edits, tests, cost and open todos", async () => {
        await work("pending");
        age(2 * HOUR);
        const screen = await comeBack(["--continue"]);
        expect(screen)
            .to.match(
                /Last step \d{4}-\d\d-\d\d \d\d:\d\d · 2\s+turns · 1\s+file\s+edited · not\s+tested\s+since/
            )
            .and.to.match(/last\s+edit · <?\$0/)
            .and.to.match(/Open\s+todos:\s+Test\s+the\s+clock/)
            .and.not.to.match(/Open\s+todos:.*Write/);
    });

    it("Shows no todos when all are done, also to `/resume` in the chat", async () => {
        await work("completed");
        age(2 * HOUR);
        const list = JSON.parse((await place.run(["conversations", "--json"])).stdout);
        const screen = await comeBack([], `/resume ${list.conversations[0].id}`);
        expect(screen).to.match(RECAP).and.not.to.contain("Open todos");
    });

    it("A conversation resumed within the hour shows no recap", async () => {
        await work("pending");
        age(HOUR / 2);
        expect(await comeBack(["--continue"])).not.to.match(RECAP);
    });
});
