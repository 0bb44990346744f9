import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
    type Reply,
} from "../helpers/messages-server.js";
import { PROGRAM, Workplace } from "../helpers/north-program.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";

/** More than ten cents on the vendor's standard model, and little enough for its context. */
const DEAR = { output_tokens: 20_000 };

const edit: Reply = {
    ...reply(toolUse("edit_1", "edit_replace_exact", { path: "a.txt", old: "one", new: "1" })),
    usage: DEAR,
};
const done: Reply = { ...reply(text("Done.")), usage: DEAR };

describe("budgets", () => {
    let place: Workplace;
    let server: MessagesServer;
    let terminal: PseudoTerminal | undefined;

    beforeEach(() => {
        place = new Workplace({ "a.txt": "one\n" });
    });
    afterEach(async () => {
        await terminal?.close();
        terminal = undefined;
        await server.close();
        await place.remove();
    });

    const env = () => ({ ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url });

    function configure(budget: object): string {
        const file = path.join(place.home, ".config", "north", "config.json");
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, JSON.stringify({ budget }));
        return file;
    }

    it("stop print mode before the next request, say which, and keep the work", async () => {
        server = await startMessagesServer({ script: [edit] });
        const file = configure({ perConversationUsd: 0.1 });
        const args = ["-p", "Edit it", "--accept-edits", "--output-format", "json"];
        const end = await place.run(args, { env: env() });
        expect(end.code).to.equal(1);
        const result = JSON.parse(end.stdout);
        expect(result).to.deep.include({ stopReason: "max-cost", isError: true, turns: 1 });
        expect(result.error.code).to.equal("budget-spent");
        expect(result.error.message).to.contain("The budget of $0.10 for a conversation is spent");
        expect(result.error.nextSteps.join()).to.contain(file);
        expect(place.files()["a.txt"]).to.equal("1\n");
        server.assertDone();
    });

    it("are seen in the costs, which have bars in a terminal and none in a pipe", async () => {
        server = await startMessagesServer({ script: [done] });
        expect((await place.run(["-p", "One"], { env: env() })).code).to.equal(0);
        const piped = await place.run(["costs"], { env: env() });
        expect(piped.stdout).to.contain("Total $").and.not.to.contain("█");
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, "costs"],
            cwd: place.repository,
            env: place.environment(env()),
            columns: 110,
        });
        await terminal.waitFor("█".repeat(20));
    });

    it("for a day count what other conversations have cost", async () => {
        server = await startMessagesServer({ script: [done] });
        configure({ perDayUsd: 0.1 });
        expect((await place.run(["-p", "One"], { env: env() })).code).to.equal(0);
        const end = await place.run(["-p", "Two"], { env: env() });
        expect(end.code).to.equal(1);
        expect(end.stderr).to.contain("The budget of $0.10 for a day is spent: today has cost $");
        server.assertDone();
    });

    it("stop learning before the next topic, and keep what was learned", async () => {
        server = await startMessagesServer({ script: [{ ...reply(text("Found.")), usage: DEAR }] });
        configure({ perDayUsd: 0.1 });
        const end = await place.run(["learn"], { env: env() });
        expect(end.stderr).to.contain("The budget of $0.10 for a day is spent");
        expect(end.stdout).to.contain("1 of 10 topics");
        const shown = await place.run(["learn", "--show"], { env: env() });
        expect(shown.stdout).to.contain("Found.");
        server.assertDone();
    });

    it("that are not understood stop North instead of counting for nothing", async () => {
        server = await startMessagesServer({ script: [] });
        configure({ perMonthUsd: 1 });
        const end = await place.run(["-p", "One"], { env: env() });
        expect(end.code).to.equal(1);
        expect(end.stderr).to.contain("`budget` wants amounts above 0");
    });

    it("ask in the chat, where --max-cost counts the whole run", async () => {
        server = await startMessagesServer({ script: [done, done] });
        configure({ perConversationUsd: 0.1 });
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, "chat", "One", "--max-cost", "0.3"],
            cwd: place.repository,
            env: place.environment(env()),
            columns: 110,
            rows: 40,
        });
        const screen = terminal;
        const say = async (message: string) => {
            await screen.waitFor(/❯ *$/);
            screen.type(message);
            screen.press("enter");
        };
        await screen.waitFor("Done.");
        await say("Two");
        await screen.waitFor("y yes · n no");
        expect(screen.screen()).to.contain("The budget of $0.10 for a conversation is spent");
        screen.type("y");
        await screen.waitUntil(() => server.requests.length === 2);
        await say("Three");
        await screen.waitFor("The cost limit is reached.");
        expect(server.requests.length).to.equal(2);
        server.assertDone();
    });
});
