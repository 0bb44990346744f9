import { expect } from "chai";
import { NorthError } from "../../../src/base/north-error.js";
import { printFailure, runPrint } from "../../../src/chat/print/run-print.js";
import { NOBODY_TO_ASK } from "../../../src/core/agent/calls/relay.js";
import type { AgentEvent } from "../../../src/core/agent/events.js";
import type { Session } from "../../../src/core/session.js";

/** Sets the clipboard, clears the screen and goes back to the line's start. */
const HOSTILE = "\u001b]52;c;aGk=\u0007\u001b[2J\r\u202ex";

type Settled = Extract<AgentEvent, { type: "review-settled" }>;

const denied = (subject: Settled["subject"], fields: Partial<Settled> = {}): Settled => ({
    type: "review-settled",
    callId: "c",
    subject,
    status: "denied",
    decidedBy: "policy",
    what: "cat .env",
    reason: NOBODY_TO_ASK,
    ...fields,
});

/** What a run with these events prints on standard error. */
async function errorsOf(events: readonly AgentEvent[], approved = { write: false, shell: false }) {
    return (await outputOf(events, "json", approved)).stderr;
}

async function outputOf(
    events: readonly AgentEvent[],
    format: "json" | "stream-json",
    approved = { write: false, shell: false }
) {
    let printed = "";
    let stdout = "";
    const session = {
        conversationId: "abc123",
        services: { session: { models: { current: () => ({ id: "m" }) } } },
        async *send() {
            yield* events;
        },
    } as unknown as Session;
    const go = { text: "go", typed: "go" };
    await runPrint(session, go, {
        format,
        mode: "agent",
        signal: new AbortController().signal,
        stdout: { write: (text) => (stdout += text) },
        stderr: { write: (text) => (printed += text) },
        onForcedTimeout: () => {},
        approved,
        activity: () => {},
    });
    return { stdout, stderr: printed };
}

describe("Standard error of print mode", () => {
    it("Nothing from elsewhere reaches the terminal as a control sequence", async () => {
        const retry = {
            type: "retry-scheduled",
            attempt: 1,
            delayMs: 900,
            reason: HOSTILE,
        } as const;
        const printed = await errorsOf([
            { type: "notice", text: `${HOSTILE} is not sent to the model` },
            retry,
            denied("shell", { what: HOSTILE, needs: HOSTILE }),
            denied("write", { what: HOSTILE, reason: HOSTILE }),
        ]);
        let failed = "";
        printFailure(new NorthError("x", HOSTILE, [HOSTILE]), {
            format: "text",
            mode: "agent",
            stdout: { write: () => {} },
            stderr: { write: (text) => (failed += text) },
        });
        for (const text of [printed, failed]) {
            expect(text.split("\n").length).to.be.greaterThan(2);
            expect(text).not.to.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
        }
    });

    it("A denied command names what it needs and what would allow it", async () => {
        const needs = "It needs .env, which is hidden from contained commands";
        const hint =
            '`--approve-shell` allows commands in this run; `north allowlist add "cat .env"` always allows this one.';
        expect(await errorsOf([denied("shell", { needs, ranContained: true })])).to.equal(
            `Ran only contained: cat .env. ${needs}. ${hint}\n`
        );
        expect(await errorsOf([denied("shell")])).to.equal(`Denied: cat .env. ${hint}\n`);
    });

    for (const [what, typed] of [
        ["echo $HOME", " 'echo $HOME'"],
        ['echo "it\'s $HOME"', ""],
        ["echo a\necho b", ""],
    ] as const) {
        it(`The command that would allow ${JSON.stringify(what)} can be pasted as it is`, async () => {
            expect(await errorsOf([denied("shell", { what })])).to.contain(
                `\`north allowlist add${typed}\` always allows this one.`
            );
        });
    }

    it("A denied page is reported in the question's words, with the flag that allows it", async () => {
        const what = "Fetch https://example.org/a from the web?";
        const asked = denied("ask", { what, key: "web_fetch:host:example.org" });
        expect(await errorsOf([asked])).to.equal(
            "Denied: Fetch https://example.org/a from the web. `--allow-host example.org` allows it in this run.\n"
        );
    });

    it("A denied question that no permission answers is reported once, with where to answer it", async () => {
        const what = "Running npm publish: a check asks for your approval. It publishes this.";
        expect(await errorsOf([denied("ask", { what })])).to.equal(
            "Denied: Running npm publish: a check asks for your approval. It publishes this. Use the chat.\n"
        );
    });

    it("A denied change names the file that made it ask", async () => {
        const alwaysAsks = "Always asks: ci.yml controls what other programs run.";
        const settled = denied("write", { what: "fine.txt, ci.yml", alwaysAsks });
        expect(await errorsOf([settled], { write: true, shell: false })).to.equal(
            "Denied: fine.txt, ci.yml. Always asks: ci.yml controls what other programs run. Use the chat.\n"
        );
    });

    it("An allowed change that could not be written is not called denied", async () => {
        const settled = denied("write", { what: "d.txt", reason: "No space is left." });
        expect(await errorsOf([settled], { write: true, shell: false })).to.equal(
            "Not written: d.txt. No space is left.\n"
        );
    });

    it("A denied command that would change many files takes one short line", async () => {
        const diffs = Array.from({ length: 500 }, (_, index) => ({
            path: `target/${index}.o`,
            diff: "",
            linesAdded: 0,
            linesRemoved: 0,
            kind: "created" as const,
        }));
        const printed = await errorsOf([denied("write", { diffs })]);
        expect(printed).to.match(
            /^Denied: target\/0\.o, .*target\/9\.o and 490 more\. `--accept-edits`/
        );
        expect(printed.length).to.be.lessThan(300);
    });
});

describe("Standard output of print mode", () => {
    const started = (callId: string, name: string): AgentEvent => ({
        type: "tool-call-started",
        callId,
        name,
        intent: "…",
    });

    it("The result lists what was denied, with the tool", async () => {
        const { stdout } = await outputOf(
            [
                started("a", "shell_run"),
                denied("shell", { callId: "a" }),
                started("b", "edit_create_file"),
                denied("write", { callId: "b", what: "x.txt" }),
                denied("write", { callId: "b", what: "y.txt", status: "approved" }),
                denied("write", { callId: "file_1", what: "streamed.txt" }),
            ],
            "json"
        );
        expect(JSON.parse(stdout)).to.deep.include({
            denied: [
                { tool: "shell_run", what: "cat .env" },
                { tool: "edit_create_file", what: "x.txt" },
                { tool: "file", what: "streamed.txt" },
            ],
        });
        expect(JSON.parse((await outputOf([], "json")).stdout)).to.deep.include({ denied: [] });
    });

    it("stream-json begins with the conversation, the model and the mode", async () => {
        const { stdout } = await outputOf([], "stream-json");
        expect(stdout.split("\n")[0]).to.equal(
            '{"type":"run-started","conversationId":"abc123","model":"m","mode":"agent"}'
        );
    });
});
