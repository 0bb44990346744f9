import { expect } from "chai";
import { startMessagesServer, type MessagesServer } from "../helpers/messages-server.js";
import { PROGRAM, Workplace } from "../helpers/north-program.js";
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
import { resultsIn } from "./requests.js";

const IDLE = /❯ *$/;

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
            .and.to.contain('-export const greeting = "hello";')
            .and.to.contain('+export const greeting = "grüß dich 👋🏽";');
        expect(place.files()).to.deep.equal(FILES);
        expect(server.requests.length).to.equal(2);
        screen.press("a");

        await screen.waitFor("+# Other");
        await screen.waitFor("r reject");
        expect(place.files()["src/greeting.ts"]).to.equal(GREETED);
        screen.press("r");

        await screen.waitFor("touch never.txt");
        await screen.waitFor("r run · a always run this · y approve all commands · d deny");
        expect(place.files()["README.md"]).to.equal(FILES["README.md"]);
        screen.press("d");

        await screen.waitFor("printf 'ran");
        await screen.waitFor("d deny");
        expect(place.files()).not.to.have.property("ran.txt");
        screen.press("r");

        await screen.waitFor(CLOSING);
        await screen.waitFor(IDLE);
        screen.press("ctrl-d");
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
});
