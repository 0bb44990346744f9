import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";
import { eventually, PROGRAM } from "../helpers/north-program.js";
import { sampled } from "../helpers/sample.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { failure, reply, text, toolUse, type Reply } from "../helpers/vendors/messages-server.js";

/** Where a run is when its terminal is closed. */
interface Moment {
    readonly when: string;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly script?: readonly Reply[];
    /** What is typed at the prompt, and sent. */
    readonly says?: string;
    /** What the screen shows by then; absent: as soon as the program has written anything. */
    readonly shows?: string | RegExp;
    /** What the file that is stderr holds by then. */
    readonly tells?: RegExp;
    /** What is done then, right before the end. */
    last?(terminal: PseudoTerminal): void;
    /** North may have done all by then: Node drops its signal handlers before it has ended. */
    readonly mayHaveEnded?: true;
}

const HUNG_UP = 1;

const stalling = (...blocks: NonNullable<Reply["blocks"]>): Reply => ({
    ...reply(...blocks),
    interruption: { how: "stall", afterEvents: 4 },
});
const run = (command: string) => reply(toolUse("run_1", "shell_run", { command }));
const edit = reply(
    toolUse("edit_1", "edit_create_file", { path: "new.txt", content: "one\ntwo\n" })
);
const never: Reply = { gate: new Promise(() => {}) };
const overloaded = failure(529, "overloaded_error", "Overloaded");
const APPROVED = ["--accept-edits", "--approve-shell"];

const CHAT: readonly Moment[] = [
    { when: "before the prompt" },
    { when: "at the prompt", shows: IDLE },
    { when: "at the prompt of a terminal without a cursor", env: { TERM: "dumb" }, shows: "❯" },
    { when: "while a line is typed", shows: IDLE, last: (it) => it.type("half a line") },
    { when: "in a paste", shows: IDLE, last: (it) => it.type("\u001b[200~pasted") },
    { when: "as a message is sent", shows: IDLE, last: (it) => it.type("hello\r") },
    { when: "before the first byte of a reply", script: [never], says: "hi", shows: /hi[^]*[⠋-⠿]/ },
    {
        when: "in a streamed reply",
        script: [stalling(text("Some words"))],
        says: "hi",
        shows: "Som",
    },
    { when: "before a retry", script: [overloaded], says: "hi", shows: "↻" },
    {
        when: "in a command",
        args: APPROVED,
        script: [run("echo begun; sleep 300")],
        says: "run",
        shows: "begun",
    },
    {
        when: "in a command that ignores hang-ups",
        args: APPROVED,
        script: [run("trap '' HUP; echo begun; sleep 300")],
        says: "run",
        shows: "begun",
    },
    { when: "at the review of an edit", script: [edit], says: "edit", shows: "new.txt" },
    { when: "at the review of a command", script: [run("true")], says: "run", shows: "Run" },
    { when: "in a picker", says: "/model", shows: "Sonnet" },
    { when: "while it ends", shows: IDLE, last: (it) => it.press("ctrl-d"), mayHaveEnded: true },
];

const STREAM = ["-p", "hi", "--output-format", "stream-json"];
const PRINT: readonly Moment[] = [
    { when: "before the reply of a print run", args: STREAM, script: [never], shows: "started" },
    {
        when: "in the reply of a print run",
        args: STREAM,
        script: [stalling(text("Some words"))],
        shows: "Som",
    },
    {
        when: "in the command of a print run",
        args: [...STREAM, ...APPROVED],
        script: [run("echo begun; sleep 300")],
        shows: "begun",
    },
    {
        when: "before the retry of a print run",
        args: ["-p", "hi"],
        script: [overloaded],
        tells: /Trying again/,
    },
    {
        when: "at the end of a print run",
        args: ["-p", "hi"],
        script: [reply(text("done"))],
        shows: "done",
        mayHaveEnded: true,
    },
];

/** Gets the signal in the program's place, and keeps it to itself. */
const SILENT = `cd repository; trap : HUP; "$@" 2> ../errors`;

describe("Closed terminal", () => {
    let place: ClaudeWorkplace;
    let terminal: PseudoTerminal | undefined;

    beforeEach(() => {
        place = new ClaudeWorkplace();
    });
    afterEach(async () => {
        await terminal?.close();
        terminal = undefined;
        await place.remove();
    });

    /** `wrapper` is a script of bash that gets the program as its arguments. */
    function open(wrapper: string, { args = [], env = {} }: Moment): PseudoTerminal {
        terminal = openTerminal({
            command: "bash",
            args: ["-c", wrapper, "bash", process.execPath, PROGRAM, ...args],
            cwd: place.folder,
            env: place.environment(env),
            columns: 100,
            rows: 40,
            ...(env.TERM === undefined ? {} : { term: env.TERM }),
        });
        return terminal;
    }

    const written = (name: string) => {
        const file = path.join(place.folder, name);
        return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
    };
    const errors = () => written("errors");

    async function hangUpAt(it: PseudoTerminal, moment: Moment): Promise<void> {
        const { says, shows, tells, last } = moment;
        if (says !== undefined) {
            await it.waitFor(IDLE);
            it.type(says);
            await it.waitFor(says);
            it.press("enter");
        }
        if (tells) await eventually(() => tells.test(errors()), String(tells));
        else if (shows === undefined) await it.waitUntil(() => it.raw() !== "");
        else await it.waitFor(shows);
        last?.(it);
        it.hangUp();
    }

    /** `told` is what stderr may hold of a run that was going on. */
    async function expectCleanEnd({ tells }: Moment): Promise<void> {
        await eventually(() => place.processes().length === 0, "the end of all processes");
        if (tells) expect(errors()).to.match(tells);
        expect(errors()).to.match(/^((?!.* at |.*Assertion).{0,100}\n)*$/);
        if (!tells) expect(errors()).to.equal("");
        const names = fs.readdirSync(place.home, { recursive: true, encoding: "utf8" });
        expect(names.filter((name) => /\.(?:lock|holder|tmp)$/.test(name))).to.deep.equal([]);
        for (const id of place.conversationIds()) {
            expect(place.records(id).at(-1)?.type).to.equal("conversation_ended");
        }
    }

    for (const moment of [...sampled(CHAT), ...sampled(PRINT, 2)]) {
        it(`A terminal closed ${moment.when} ends North cleanly`, async () => {
            await place.serve(moment.script ?? []);
            const it = open(`cd repository; exec "$@" 2> ../errors`, moment);
            await hangUpAt(it, moment);
            const { signal } = await it.exit();
            expect(signal).to.be.oneOf(moment.mayHaveEnded ? [0, HUNG_UP] : [0]);
            await expectCleanEnd(moment);
        });
    }

    for (const moment of sampled(CHAT.slice(7, 12), 2)) {
        it(`A terminal closed ${moment.when} ends North cleanly where no signal tells`, async () => {
            await place.serve(moment.script ?? []);
            const it = open(`${SILENT}; echo $? > ../code`, moment);
            await hangUpAt(it, moment);
            await it.exit();
            await expectCleanEnd(moment);
            expect(written("code")).to.equal("130\n");
        });
    }

    it("A terminal closed under its own shell ends North cleanly", async () => {
        await place.serve([stalling(text("Some words"))]);
        const it = open(`cd repository; exec bash --norc --noprofile -i`, { when: "" });
        await it.waitFor(/[#$] *$/);
        it.type(`${process.execPath} ${PROGRAM} 2> ../errors\r`);
        await hangUpAt(it, { when: "", says: "hi", shows: "Som" });
        await it.exit();
        await expectCleanEnd({ when: "" });
    });
});
