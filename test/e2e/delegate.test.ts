import * as fs from "node:fs";
import { expect } from "chai";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import { eventually } from "../helpers/north-program.js";
import { type Reply, reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { resultsIn } from "./requests.js";

const FILES = { "a.txt": "one\n", "AGENTS.md": "Write all numbers as words.\n" };
const ARGS = ["--mode", "draft", "--contain", "auto"];
const TASKS = ["first", "second", "third", "fourth"].map((task) => ({ task: `the ${task}` }));
const STALLED: Reply = {
    ...reply(text("Writing ".repeat(20))),
    ...{ interruption: { afterEvents: 2, how: "stall" } },
};

describe("Four sub-agents that write", () => {
    let place: ClaudeWorkplace;
    let writing = 0;

    beforeEach(async () => {
        writing = 0;
        place = new ClaudeWorkplace(FILES);
        // Each edits a file; then two hang in a command, and two in a reply.
        await place.serve(({ body }) => {
            const all = JSON.stringify(body.messages);
            const isNested = JSON.stringify(body.system).includes("<sub_agent>");
            if (!isNested) {
                return all.includes("Go on")
                    ? reply(text("Gone on."))
                    : reply(toolUse("d1", "delegate", { tasks: TASKS }));
            }
            const name = TASKS.find(({ task }) => all.includes(task))?.task.slice(4) ?? "";
            if (Object.keys(resultsIn(body)).length === 0) {
                const input = { path: `${name}.txt`, content: `${name}\n` };
                return reply(toolUse(`w-${name}`, "edit_create_file", input));
            }
            writing += 1;
            const command = toolUse(`s-${name}`, "shell_run", { command: "sleep 2987" });
            return /first|second/.test(name) ? reply(command) : STALLED;
        });
    });
    afterEach(() => place.remove());

    const sleepers = () => place.processes().filter((line) => line.includes("sleep 2987")).length;
    const allWork = () =>
        eventually(() => writing === TASKS.length && sleepers() >= 2, "the work of all four");

    it("Ctrl+C ends all of them and their commands, and the chat continues", async () => {
        const terminal = await place.chat(ARGS);
        terminal.type("Work\r");
        await allWork();
        terminal.press("ctrl-c");
        await terminal.waitFor(IDLE);
        await eventually(() => sleepers() === 0, "the end of the commands");
        expect(place.files()).to.deep.equal(FILES);
        terminal.type("Go on\r");
        await terminal.waitFor("Gone on.");
        terminal.type("/quit\r");
        await terminal.exit();
        expect(place.processes()).to.deep.equal([]);
    });

    it("After kill -9 the project is whole, nothing is left behind, and both user and model learn what was lost", async () => {
        const program = place.start(["-p", "Work", ...ARGS]);
        await allWork();
        program.kill("SIGKILL");
        expect((await program.ended).signal).to.equal("SIGKILL");
        await eventually(() => place.processes().length === 0, "the end of all processes");
        expect(place.files()).to.deep.equal(FILES);

        const listed = JSON.parse((await place.run(["conversations", "--json"])).stdout);
        const [{ id }] = listed.conversations;
        const nested = place.conversationIds().filter((each) => each !== id);
        expect(nested).to.have.length(4);
        const terminal = await place.chat(["resume", id, ...ARGS]);
        await terminal.waitFor(
            /Sub-agents\s+were\s+interrupted[^]*shows\s+what\s+each\s+had\s+done/
        );
        const notice = terminal.transcript().replace(/\s+/g, " ");
        for (const each of nested) expect(notice).to.contain(each);
        terminal.type("Go on\r");
        await terminal.waitFor("Gone on.");
        terminal.type("/quit\r");
        await terminal.exit();
        const last = JSON.stringify(place.server.requests.at(-1)?.body.messages);
        expect(last.split("none of their changes was merged")).to.have.length(2);
        expect(place.files()).to.deep.equal(FILES);

        const again = await place.run(["-p", "Go on", "--resume", id]);
        expect(again.stderr).not.to.contain("Sub-agents were interrupted");
        expect((await place.run(["draft", "list"])).stdout).not.to.contain(id);
    });
});

describe("Instructions of the project", () => {
    let place: ClaudeWorkplace;
    afterEach(() => place.remove());

    it("A sub-agent that writes follows them, also those of a folder it edits; one that reads does not get them", async () => {
        place = new ClaudeWorkplace({ ...FILES, "deep/AGENTS.md": "No digits.\n" });
        await place.serve(({ body }) => {
            const system = JSON.stringify(body.system);
            const isDone = JSON.stringify(body.messages).includes('"tool_result"');
            if (system.includes("looking something up")) return reply(text("In a.txt:1."));
            if (isDone) return reply(text("Done."));
            if (system.includes("<sub_agent>")) {
                const input = { path: "deep/b.txt", content: "two\n" };
                return reply(toolUse("w1", "edit_create_file", input));
            }
            return reply(
                toolUse("d1", "delegate", { tasks: [{ task: "Write two." }] }),
                toolUse("e1", "explore", { question: "Where is one?" })
            );
        });
        const end = await place.run(["-p", "Work", ...ARGS]);
        expect(end.code, end.stderr).to.equal(0);
        const requestsOf = (part: string) =>
            place.server.requests
                .map(({ body }) => body)
                .filter(({ system }) => JSON.stringify(system).includes(part))
                .map(({ messages }) => JSON.stringify(messages));
        const [first, second] = requestsOf("<sub_agent>");
        expect(first).to.match(/Write all numbers as words\.[^]*Write two\./);
        expect(first).not.to.contain("No digits.");
        expect(second).to.contain("No digits.");
        expect(requestsOf("looking something up").join()).not.to.contain("numbers as words");
    });
});

describe("A sub-agent that writes", () => {
    let place: ClaudeWorkplace;
    afterEach(() => place.remove());

    /** The model delegates one task, which begins with this call; then `meanwhile` happens. */
    const serve = (call: Reply, meanwhile = () => {}) =>
        place.serve(({ body }) => {
            const isNested = JSON.stringify(body.system).includes("<sub_agent>");
            if (Object.keys(resultsIn(body)).length === 0) {
                return isNested ? call : reply(toolUse("d1", "delegate", { tasks: [TASKS[0]] }));
            }
            if (isNested) meanwhile();
            return reply(text("Done."));
        });

    it("does not bring back a file that was deleted meanwhile", async () => {
        place = new ClaudeWorkplace(FILES);
        const edit = { path: "a.txt", old: "one", new: "two" };
        await serve(reply(toolUse("w1", "edit_replace_exact", edit)), () =>
            fs.unlinkSync(place.place("a.txt"))
        );
        const end = await place.run(["-p", "Work", ...ARGS, "--accept-edits"]);
        expect(end.stderr).to.contain("a.txt was deleted since; the draft changes it.");
        expect(place.files()).not.to.have.property("a.txt");
    });

    it("starts no job, which it could not read or stop, and asks for none", async () => {
        place = new ClaudeWorkplace(FILES);
        const job = { command: "touch started", background: true };
        await serve(reply(toolUse("j1", "shell_run", job)));
        const end = await place.run(["-p", "Work", ...ARGS, "--approve-shell"]);
        expect(end.code, end.stderr).to.equal(0);
        const asked = place.server.requests.flatMap(({ body }) => resultsIn(body).j1 ?? []);
        expect(asked[0]?.error?.code).to.equal("no-jobs");
        expect(place.files()).to.deep.equal(FILES);
    });
});
