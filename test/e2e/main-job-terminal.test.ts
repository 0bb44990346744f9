import { expect } from "chai";
import { answer, offered } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import { reply, toolUse } from "../helpers/vendors/messages-server.js";
import { eventually } from "../helpers/north-program.js";
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

const runLong = reply(
    toolUse("run_4", "shell_run", {
        command: "trap '' HUP; sleep 300 & echo up > up.txt; sleep 300",
    })
);

describe("Main job in a terminal", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace(FILES);
    });
    afterEach(() => place.remove());

    it("Each change and command is asked about, and the keys decide", async () => {
        await place.serve([readThree, editGreeting, editReadme, runTouch, runPrint, close]);
        const screen = await place.chat();
        screen.type("Greet in German");
        screen.press("enter");

        await offered(screen, "yes");
        expect(screen.transcript()).to.contain(OPENING);
        for (const name of ["src/greeting.ts", "README.md", "notes.txt"]) {
            expect(screen.transcript()).to.contain(`Reading ${name}`);
        }

        expect(screen.screen())
            .to.contain("? Edit src/greeting.ts? +1 -1")
            .and.to.contain('1 -export const greeting = "hello";')
            .and.to.contain('1 +export const greeting = "grüß dich 👋🏽";');
        expect(place.files()).to.deep.equal(FILES);
        expect(place.server.requests.length).to.equal(2);
        await answer(screen, "yes");

        await screen.waitFor("+# Other");
        expect(place.files()["src/greeting.ts"]).to.equal(GREETED);
        await answer(screen, "no");

        await screen.waitFor("touch never.txt");
        expect(place.files()["README.md"]).to.equal(FILES["README.md"]);
        await answer(screen, "no");

        await screen.waitFor("printf 'ran");
        expect(place.files()).not.to.have.property("ran.txt");
        await answer(screen, "yes");

        await screen.waitFor(CLOSING);
        await screen.waitFor(IDLE);
        screen.type("/quit");
        screen.press("enter");
        expect(await screen.exit()).to.deep.equal({ exitCode: 0, signal: 0 });

        place.server.assertDone();
        const results = resultsIn(place.server.requests.at(-1)?.body);
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

    it("A command that is always allowed is remembered for this project", async () => {
        const again = reply(toolUse("run_3", "shell_run", { command: "touch never.txt" }));
        await place.serve([runTouch, again, close]);
        const screen = await place.chat();
        screen.type("Run it twice");
        screen.press("enter");
        await answer(screen, "always");
        await screen.waitFor(CLOSING);
        place.server.assertDone();
        const results = resultsIn(place.server.requests.at(-1)?.body);
        expect([results.run_1?.ok, results.run_3?.ok]).to.deep.equal([true, true]);
        const { stdout } = await place.run(["allowlist", "--json"]);
        expect(JSON.parse(stdout).allowedCommands).to.deep.equal([
            { command: "touch never.txt", cwd: "" },
        ]);
    });

    it("Ctrl+C cancels a command, and the next request is valid", async () => {
        await place.serve([runLong, close]);
        const screen = await place.chat(["--approve-shell"]);
        screen.type("Wait for it");
        screen.press("enter");
        await eventually(() => "up.txt" in place.files(), "the command");
        screen.press("ctrl-c");
        await screen.waitFor(IDLE);
        screen.type("Go on");
        screen.press("enter");
        await screen.waitFor(CLOSING);
        place.server.assertDone();
        const { run_4: result } = resultsIn(place.server.requests.at(-1)?.body);
        expect(result?.ok).to.equal(false);
        expect(result?.error?.code).to.be.oneOf(["cancelled", "interrupted"]);
        expect(textsIn(place.server.requests.at(-1)?.body).at(-1)).to.equal("Go on");
    });

    it("The prompt returns from a user's command that ignores being stopped", async () => {
        await place.serve([]);
        const screen = await place.chat();
        screen.type("!trap '' INT TERM; echo up; sleep 300\r");
        await screen.waitFor(/Running trap[^\n]*\n +up/);
        screen.press("ctrl-c");
        await screen.waitFor("Stopping trap");
        await screen.waitFor("[Cancelled] trap");
        await screen.waitFor(IDLE);
        screen.type("!echo still here\r");
        await screen.waitFor(/^ {4}still here/m);
        await screen.waitFor(IDLE);
        screen.type("/quit\r");
        await screen.exit();
        expect(place.processes()).to.deep.equal([]);
    });

    it("Nothing keeps running when the terminal goes away", async () => {
        await place.serve([runLong]);
        const screen = await place.chat(["--approve-shell"]);
        screen.type("Wait for it");
        screen.press("enter");
        await eventually(() => "up.txt" in place.files(), "the command");
        process.kill(screen.pid, "SIGHUP");
        await screen.exit();
        await eventually(() => place.processes().length === 0, "the end of all processes");
        const records = place.records(place.conversationIds()[0] ?? "");
        expect(records.at(-1)?.type).to.equal("conversation_ended");
    });

    it("An open conversation is locked", async () => {
        await place.serve([close, close]);
        const screen = await place.chat();
        screen.type("Hello");
        screen.press("enter");
        await screen.waitFor(CLOSING);
        await screen.waitFor(IDLE);
        const [id = ""] = place.conversationIds();
        const other = await place.run(["resume", id, "-p", "me too"]);
        expect(other.code).to.equal(1);
        expect(other.stderr).to.match(/^Conversation [0-9a-f]{6} is open in another North/);
        screen.type("/quit");
        screen.press("enter");
        await screen.exit();
        const later = await place.run(["resume", id, "-p", "and now?"]);
        expect({ code: later.code, stderr: later.stderr }).to.deep.equal({ code: 0, stderr: "" });
    });
});
