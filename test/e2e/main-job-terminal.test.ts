import { expect } from "chai";
import {
    reply,
    startMessagesServer,
    toolUse,
    type MessagesServer,
} from "../helpers/messages-server.js";
import { eventually, PROGRAM, Workplace } from "../helpers/north-program.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";
import {
    close,
    CLOSING,
    editGreeting,
    editReadme,
    FILES,
    GREETED,
    OPENING,
    readThree,
    runPrint,
    runTouch,
} from "./main-job.js";
import { resultsIn, textsIn } from "./requests.js";

const IDLE = /❯ *$/;

const runLong = reply(
    toolUse("run_4", "shell_run", {
        command: "trap '' HUP; sleep 300 & echo up > up.txt; sleep 300",
    })
);

describe("the main job in a terminal", () => {
    let place: Workplace;
    let server: MessagesServer;
    let terminal: PseudoTerminal | undefined;

    beforeEach(() => {
        place = new Workplace(FILES);
    });
    afterEach(async () => {
        await terminal?.close();
        await server.close();
        await place.remove();
    });

    async function chat(...args: string[]): Promise<PseudoTerminal> {
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, ...args],
            cwd: place.repository,
            env: place.environment({
                ANTHROPIC_API_KEY: "test-key",
                ANTHROPIC_BASE_URL: server.url,
            }),
            columns: 100,
            rows: 40,
        });
        await terminal.waitFor(IDLE);
        return terminal;
    }

    it("asks before each change and each command, and does what the keys say", async () => {
        server = await startMessagesServer({
            script: [readThree, editGreeting, editReadme, runTouch, runPrint, close],
        });
        const screen = await chat();
        screen.type("Greet in German");
        screen.press("enter");

        await screen.waitFor("a accept · y always accept edits · r reject");
        expect(screen.transcript()).to.contain(OPENING);
        for (const name of ["src/greeting.ts", "README.md", "notes.txt"]) {
            expect(screen.transcript()).to.contain(`Reading ${name}`);
        }
        expect(screen.screen())
            .to.contain("src/greeting.ts +1 -1")
            .and.to.contain('1 -export const greeting = "hello";')
            .and.to.contain('1 +export const greeting = "grüß dich 👋🏽";');
        expect(place.files()).to.deep.equal(FILES);
        expect(server.requests.length).to.equal(2);
        screen.press("a");

        await screen.waitFor("+# Other");
        await screen.waitFor("r reject");
        expect(place.files()["src/greeting.ts"]).to.equal(GREETED);
        screen.press("r");
        await screen.waitFor("Reason (Enter for none):");
        screen.press("enter");

        await screen.waitFor("touch never.txt");
        await screen.waitFor("r run · a always run this · y approve all commands · d deny");
        expect(place.files()["README.md"]).to.equal(FILES["README.md"]);
        screen.press("d");
        await screen.waitFor("Reason (Enter for none):");
        screen.press("enter");

        await screen.waitFor("printf 'ran");
        await screen.waitFor("d deny");
        expect(place.files()).not.to.have.property("ran.txt");
        screen.press("r");

        await screen.waitFor(CLOSING);
        await screen.waitFor(IDLE);
        screen.type("/quit");
        screen.press("enter");
        expect(await screen.exit()).to.deep.equal({ exitCode: 0, signal: 0 });

        server.assertDone();
        const results = resultsIn(server.requests.at(-1)?.body);
        expect(
            Object.entries(results).map(([id, { ok, error }]) => [id, ok || error?.code])
        ).to.deep.equal([
            ["read_1", true],
            ["read_2", true],
            ["read_3", true],
            ["edit_1", true],
            ["edit_2", "rejected"],
            ["run_1", "denied"],
            ["run_2", true],
        ]);
        expect(place.files()).to.deep.equal({
            ...FILES,
            "src/greeting.ts": GREETED,
            "ran.txt": "ran\n",
        });
        expect(place.processes()).to.deep.equal([]);
    });

    it("remembers a command that is always to run, for this project", async () => {
        const again = reply(toolUse("run_3", "shell_run", { command: "touch never.txt" }));
        server = await startMessagesServer({ script: [runTouch, again, close] });
        const screen = await chat();
        screen.type("Run it twice");
        screen.press("enter");
        await screen.waitFor("a always run this");
        screen.press("a");
        await screen.waitFor(CLOSING);
        server.assertDone();
        const results = resultsIn(server.requests.at(-1)?.body);
        expect([results.run_1?.ok, results.run_3?.ok]).to.deep.equal([true, true]);
        const { stdout } = await place.run(["allowlist", "--json"]);
        expect(JSON.parse(stdout).allowedCommands).to.deep.equal([
            { command: "touch never.txt", cwd: "" },
        ]);
    });

    it("cancels a command by Ctrl+C, and what follows is a valid request", async () => {
        server = await startMessagesServer({ script: [runLong, close] });
        const screen = await chat("--approve-shell");
        screen.type("Wait for it");
        screen.press("enter");
        await eventually(() => "up.txt" in place.files(), "the command");
        screen.press("ctrl-c");
        await screen.waitFor(IDLE);
        screen.type("Go on");
        screen.press("enter");
        await screen.waitFor(CLOSING);
        server.assertDone();
        const { run_4: result } = resultsIn(server.requests.at(-1)?.body);
        expect(result?.ok).to.equal(false);
        expect(result?.error?.code).to.be.oneOf(["cancelled", "interrupted"]);
        expect(textsIn(server.requests.at(-1)?.body).at(-1)).to.equal("Go on");
    });

    it("leaves nothing running when its terminal goes away", async () => {
        server = await startMessagesServer({ script: [runLong] });
        const screen = await chat("--approve-shell");
        screen.type("Wait for it");
        screen.press("enter");
        await eventually(() => "up.txt" in place.files(), "the command");
        process.kill(screen.pid, "SIGHUP");
        await screen.exit();
        await eventually(() => place.processes().length === 0, "the end of all processes");
        const records = place.records(place.conversationIds()[0] ?? "");
        expect(records.at(-1)?.type).to.equal("conversation_ended");
    });

    it("keeps its conversation to itself while it is open", async () => {
        server = await startMessagesServer({ script: [close, close] });
        const screen = await chat();
        screen.type("Hello");
        screen.press("enter");
        await screen.waitFor(CLOSING);
        await screen.waitFor(IDLE);
        const [id = ""] = place.conversationIds();
        const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
        const other = await place.run(["resume", id, "-p", "me too"], { env });
        expect(other.code).to.equal(1);
        expect(other.stderr).to.match(/^Conversation [0-9a-f]{6} is open in another North/);
        screen.type("/quit");
        screen.press("enter");
        await screen.exit();
        const later = await place.run(["resume", id, "-p", "and now?"], { env });
        expect({ code: later.code, stderr: later.stderr }).to.deep.equal({ code: 0, stderr: "" });
    });
});
