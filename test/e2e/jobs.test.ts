import * as fs from "node:fs";
import { expect } from "chai";
import { answer, offered } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import { eventually } from "../helpers/north-program.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

const COMMAND = "echo ready on 3000; touch ready; exec sleep 613";
const start = reply(toolUse("toolu_1", "shell_run", { command: COMMAND, background: true }));
const read = reply(toolUse("toolu_2", "job_output", { id: "1", waitMs: 100 }));

describe("Background jobs in the built program", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace();
    });
    afterEach(() => place.remove());

    const isReady = () => eventually(() => fs.existsSync(place.place("ready")), "the job's output");
    const isRunning = () => place.processes().some((line) => line.includes("sleep 613"));

    it("Print mode starts a job, reads it, and stops it at the end", async () => {
        let ranMeanwhile = false;
        const script = [start, read, reply(text("done"))];
        await place.serve(() => {
            ranMeanwhile ||= isRunning();
            const next = script.shift();
            return next === read ? { ...read, gate: isReady() } : next;
        });
        const end = await place.run(["-p", "--approve-shell", "Start it."]);
        expect(end).to.deep.include({ code: 0, stdout: "done\n" });
        expect(JSON.stringify(place.server.requests[2]?.body.messages)).to.contain("ready on 3000");
        expect(ranMeanwhile).to.equal(true);
        expect(isRunning()).to.equal(false);
    });

    it("Print mode denies a job that nobody has allowed", async () => {
        await place.serve([start, reply(text("denied"))]);
        const end = await place.run(["-p", "Start it."]);
        expect(end.stderr).to.contain(`Denied: ${COMMAND}`);
        expect(isRunning()).to.equal(false);
    });

    it("The chat shows a running job, and quitting asks before it stops it", async () => {
        await place.serve([start, reply(text("It runs."))]);
        const terminal = await place.chat();
        terminal.type("start it");
        terminal.press("enter");
        await answer(terminal, "yes");
        await terminal.waitFor("It runs.");
        await terminal.waitFor(/ · 1 job · /);
        // What it printed is there with the next key that North reads.
        await isReady();
        terminal.type("/jobs");
        terminal.press("enter");
        await terminal.waitFor(/1 {2}running for \S+ {2}echo ready on 3000/);
        terminal.type("/jobs 1");
        terminal.press("enter");
        await terminal.waitFor(/^ready on 3000/m);
        await terminal.waitFor(IDLE);
        terminal.press("ctrl-d");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor("1 job is running. Stop and quit? no");
        expect(isRunning()).to.equal(true);
        terminal.type("/quit");
        terminal.press("enter");
        await offered(terminal, "yes");
        terminal.press("ctrl-d");
        await answer(terminal, "yes");
        expect((await terminal.exit()).exitCode).to.equal(0);
        expect(terminal.transcript()).to.match(/Stop and quit\? yes\nResume with: .*$/);
        expect(isRunning()).to.equal(false);
    });

    it("A job that ends by itself is told in the chat, and one stopped there leaves the status line", async () => {
        const twice = reply(
            toolUse("toolu_1", "shell_run", { command: "sleep 0.2; exit 4", background: true }),
            toolUse("toolu_2", "shell_run", { command: COMMAND, background: true })
        );
        await place.serve([twice, reply(text("They run."))]);
        const terminal = await place.chat(["--approve-shell"]);
        terminal.type("start them");
        terminal.press("enter");
        await terminal.waitFor("Job 1 exited with 4: sleep 0.2; exit 4");
        await terminal.waitFor("They run.");
        terminal.type("/jobs stop 2");
        terminal.press("enter");
        await terminal.waitFor(`Stopped: ${COMMAND}`);
        await terminal.waitUntil((screen) => !/ · \d jobs? · /.test(screen));
        expect(isRunning()).to.equal(false);
    });

    it("A killed North takes its jobs along", async () => {
        await place.serve([start, { ...reply(text("never")), gate: new Promise(() => {}) }]);
        const north = place.start(["-p", "--approve-shell", "Start it."]);
        await eventually(isRunning, "the job");
        north.kill("SIGKILL");
        await north.ended;
        await eventually(() => !isRunning(), "the end of the job");
    });
});
