import { expect } from "chai";

import type { Activity, Tail, TurnView } from "../../../src/chat/live-view.js";
import { EventRenderer, type RendererOptions } from "../../../src/chat/render/event-renderer.js";
import { createTheme } from "../../../src/chat/terminal/theme.js";
import type { AgentEvent, TurnOutcome } from "../../../src/core/agent/events.js";
import type { FileDiff } from "../../../src/core/diff/diff.js";

const outcome: TurnOutcome = {
    stopReason: "end",
    text: "",
    requests: 1,
    usage: {
        inputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        cacheWriteLongTokens: 0,
        webSearches: 0,
        outputTokens: 0,
    },
    costUsd: 0,
};
const end = (changes: Partial<TurnOutcome> = {}): AgentEvent => ({
    type: "turn-finished",
    outcome: { ...outcome, ...changes },
});
const text = (value: string): AgentEvent => ({ type: "text-delta", text: value });
const textEnd: AgentEvent = { type: "text-finished" };

function started(callId: string, intent: string): AgentEvent {
    return { type: "tool-call-started", callId, name: "tool", intent };
}

function done(
    callId: string,
    intent: string,
    changes: Partial<Extract<AgentEvent, { type: "tool-call-finished" }>> = {}
): AgentEvent {
    const base = { type: "tool-call-finished", callId, name: "tool", intent } as const;
    return { ...base, ok: true, durationMs: 5, ...changes };
}

function reviewed(
    callId: string,
    changes: Partial<Extract<AgentEvent, { type: "review-settled" }>>
): AgentEvent {
    const base = { type: "review-settled", callId, what: "", decidedBy: "user" } as const;
    return { ...base, subject: "write", status: "approved", ...changes };
}

const diff: FileDiff = {
    path: "app.ts",
    diff: "",
    linesAdded: 3,
    linesRemoved: 1,
    kind: "modified",
};

function open(level: 0 | 1 = 0, options: Partial<RendererOptions> = {}) {
    const lines: string[] = [];
    const verbatim: string[] = [];
    const state: { tail?: Tail; activities: readonly Activity[] } = { activities: [] };
    const view: TurnView = {
        columns: 200,
        print: (printed) => void lines.push(...printed.split("\n")),
        printVerbatim: (printed) => {
            lines.push(...printed);
            verbatim.push(...printed);
        },
        setTail: (tail) => (state.tail = tail),
        setActivities: (activities) => (state.activities = activities),
    };
    const renderer = new EventRenderer(view, {
        theme: createTheme(level),
        describeError: (error) => `error: ${error instanceof Error ? error.message : ""}`,
        now: () => 0,
        ...options,
    });
    const render = (...events: AgentEvent[]) => events.forEach((event) => renderer.render(event));
    return { render, renderer, lines, verbatim, state };
}

describe("EventRenderer", () => {
    it("A whole turn is shown with one line for each call", () => {
        const { render, lines, state } = open();
        render(
            { type: "request-started", estimatedTokens: 10 },
            text("I will "),
            text("look.\n"),
            textEnd,
            started("1", "Reading app.ts 10-60"),
            done("1", "Reading app.ts 10-60", { summary: "51 lines" }),
            started("2", 'Searching "foo"'),
            done("2", 'Searching "foo"', { summary: "12 matches", display: "a.ts\nb.ts\n" }),
            { type: "request-started", estimatedTokens: 20 },
            text("Done."),
            textEnd,
            end()
        );
        expect(lines).to.deep.equal([
            "",
            "● I will look.",
            "⚡ Reading app.ts 10-60 · 51 lines",
            '⚡ Searching "foo" · 12 matches',
            "    a.ts",
            "    b.ts",
            "",
            "● Done.",
        ]);
        expect(state.tail).to.equal(undefined);
        expect(state.activities).to.deep.equal([]);
    });

    it("The latest thinking is shown while it streams and then reduced to one line", () => {
        let now = 0;
        const { render, lines, state } = open(0, { now: () => now });
        render({ type: "request-started", estimatedTokens: 10 });
        render(
            { type: "thinking-delta", text: "First\u001b[2J " },
            { type: "thinking-delta", text: "idea" }
        );
        expect(state.activities[0]).to.include({
            label: "Thinking",
            since: 0,
            prose: "First idea",
        });
        now = 12_400;
        render({ type: "thinking-finished" }, { type: "thinking-delta", text: "Second" });
        expect(lines).to.deep.equal([]);
        render({ type: "thinking-finished" }, text("So."), textEnd, end());
        expect(lines).to.deep.equal(["✻ Thought for 12s · /expand thinking shows it", "", "● So."]);
        expect(state.activities).to.deep.equal([]);
    });

    it("The live line shows the turn's progress and cost so far", () => {
        const { render, state } = open();
        const usage = { type: "usage-reported", usage: {}, contextTokens: 1 } as const;
        const last = () => {
            const { label, note, progress = "" } = state.activities.at(-1) ?? {};
            return [`${label}${progress}`, note?.()];
        };
        render({ ...usage, costUsd: 0.021 }, started("1", "Updating todos"));
        render(done("1", "Updating todos", { progress: "2/5 Write the tests" }));
        expect(last()).to.deep.equal(["Working · 2/5 Write the tests", "$0.02"]);
        render({ type: "nested-usage", usage: {}, costUsd: 0.1 }, started("2", "Reading a.ts"));
        expect(last()).to.deep.equal(["Reading a.ts · 2/5 Write the tests", "$0.12"]);
        render(done("2", "Reading a.ts"), started("3", "Updating todos"));
        render(done("3", "Updating todos", { progress: "" }));
        expect(last()).to.deep.equal(["Working", "$0.12"]);
    });

    it("Unreadable thinking is not mentioned", () => {
        const { render, lines } = open();
        render({ type: "thinking-finished" }, started("1", "Reading"), done("1", "Reading"), end());
        expect(lines).to.deep.equal(["⚡ Reading"]);
    });

    it("Thinking is kept when the turn is cancelled", () => {
        const { render, lines } = open();
        render({ type: "thinking-delta", text: "Hm" }, end({ stopReason: "cancelled" }));
        expect(lines).to.deep.equal(["✻ Thought · /expand thinking shows it", "[Cancelled]"]);
    });

    it("Text appears at once, before its line is complete", () => {
        const { render, lines, state } = open();
        render(text("Hel"));
        expect(state.tail?.()).to.deep.equal(["", "● Hel"]);
        render(text("lo\nwor"));
        expect(lines).to.deep.equal(["", "● Hello"]);
        expect(state.tail?.()).to.deep.equal(["wor"]);
    });

    it("Colours tell user and assistant apart", () => {
        const { render, lines } = open(1);
        render(text("Hi"), textEnd, started("1", "Reading"), done("1", "Reading"));
        expect(lines[1]).to.equal("\u001b[35m●\u001b[39m Hi");
        expect(lines[2]).to.contain("\u001b[33m⚡\u001b[39m Reading");
    });

    it("Escape sequences are removed, even when split across deltas", () => {
        const { render, lines, state } = open();
        render(text("a\u001b"), text("[2"), text("Jb"));
        expect(state.tail?.()).to.deep.equal(["", "● ab"]);
        render(
            textEnd,
            started("1", "Reading \u001b]0;x\u0007evil\nname"),
            done("1", "Reading \u001b]0;x\u0007evil\nname", {
                summary: "\u001b[31m1 line",
                display: "\u009b2Jshown\u0007",
            }),
            { type: "notice", text: "no\u001b[5mtice" },
            { type: "retry-scheduled", attempt: 1, delayMs: 2000, reason: "over\u001b[2Jloaded" },
            end()
        );
        expect(lines).to.deep.equal([
            "",
            "● ab",
            "⚡ Reading evil name · 1 line",
            "    shown",
            "· notice",
            "↻ overloaded",
        ]);
    });

    it("No sequence or character that controls a terminal passes, wherever it is", () => {
        const hostile = {
            "a title (OSC 0)": "\u001b]0;x\u0007",
            "a link (OSC 8)": "\u001b]8;;http://a.example\u001b\\",
            "the clipboard (OSC 52)": "\u001b]52;c;aGk=\u001b\\",
            "a cleared screen (CSI)": "\u001b[2J\u001b[H",
            "hidden text (CSI)": "\u001b[8m",
            "a cleared screen (C1)": "\u009b2J",
            "a device control string (DCS)": "\u001bP$q\u0022p\u001b\\",
            "a program command (APC)": "\u001b_Gi=1\u001b\\",
            "a reset": "\u001bc",
            "text from right to left": "\u202e\u2066",
            "a return to the start of the line": "\rsafe",
            "a backspace and a bell": "\b\u0007",
        };
        for (const [what, evil] of Object.entries(hostile)) {
            const { render, lines, state } = open();
            const words = `one${evil}two`;
            const tails: unknown[] = [];
            const see = (...events: AgentEvent[]) => {
                render(...events);
                tails.push(state.tail?.(), state.activities);
            };
            see({ type: "thinking-delta", text: words });
            see({ type: "thinking-finished" }, text(`${words}\n\n# ${words}\n\n`));
            see(text(`| a | ${words} |\n|---|---|\n| ${words} | b |\n\n`));
            see(text(`- \`${words}\` [${words}](http://a.example/${words})\n\n`));
            see(text(`\`\`\`js ${words}\n${words}\n\`\`\`\n> ${words}`), textEnd);
            see({ type: "tool-call-started", callId: "1", name: words, intent: words });
            see({ type: "tool-output-delta", callId: "1", text: words });
            see(done("1", words, { summary: words, display: words }));
            see(reviewed("2", { diffs: [{ ...diff, path: words }], reason: words }));
            see(reviewed("3", { subject: "shell", what: words }), done("3", words, { ok: false }));
            see({ type: "notice", text: words }, end());
            const shown = lines.join("\n") + JSON.stringify(tails);
            expect(shown.match(/one/g), what).to.have.length.at.least(12);
            expect(shown, what).not.to.match(
                /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\\u00(?:0|1|7f|8|9)/
            );
        }
    });

    it("A review and its call share one line", () => {
        const { render, lines } = open();
        const edit = "Editing app.ts (+3 -1)";
        render(started("1", edit), reviewed("1", { diffs: [diff] }), done("1", edit));
        const created = { ...diff, path: "b.ts", kind: "created" } as const;
        render(
            reviewed("2", { diffs: [created], decidedBy: "policy" }),
            done("2", "Creating b.ts")
        );
        render(reviewed("3", { diffs: [diff, created] }), done("3", "Editing 2 files"));
        const output = { ...diff, path: "dist/", count: "214 files", diff: "" };
        render(reviewed("5", { diffs: [created, output] }), done("5", "Running make"));
        render(
            reviewed("4", { subject: "shell", what: "npm test" }),
            done("4", "Running npm test", { summary: "exit 0 in 2.1 s" })
        );
        expect(lines).to.deep.equal([
            "✔ Edited app.ts (+3 -1)",
            "✔ Created b.ts (+3 -1) · automatic",
            "✔ Changed 2 files (+6 -2)",
            "  app.ts +3 -1",
            "  ",
            "  b.ts (new file) +3 -1",
            "✔ Created b.ts (+3 -1); Kept dist/ (214 files)",
            "  b.ts (new file) +3 -1",
            "  ",
            "  dist/ ",
            "▶ Ran npm test · exit 0 in 2.1 s",
        ]);
    });

    it("A contained command stays above the decision about its changes", () => {
        const { render, lines } = open();
        const [intent, command] = ["Running make", "make"];
        const ran = { summary: "contained · exit 0 in 5ms", display: "made it" };
        render(started("1", intent), reviewed("1", { diffs: [diff], command }));
        render(done("1", intent, ran));
        const denied = { status: "denied", reason: "not now" } as const;
        render(reviewed("2", { diffs: [diff], command, ...denied }), done("2", intent, ran));
        expect(lines).to.deep.equal([
            "⚡ Running make · contained · exit 0 in 5ms",
            "    made it",
            "✔ Edited app.ts (+3 -1)",
            "⚡ Running make · contained · exit 0 in 5ms",
            "    made it",
            "✘ Rejected app.ts (+3 -1) · not now",
        ]);
    });

    it("What a contained command printed is not wrapped between words", () => {
        const { render, verbatim } = open();
        const output = `${"word ".repeat(30)}\n`;
        render(started("1", "Running make"));
        render({ type: "tool-output-delta", callId: "1", text: output });
        render(done("1", "Running make", { display: output }));
        expect(verbatim).to.deep.equal([`    ${"word ".repeat(30)}`]);
    });

    it("Approved changes of a contained command are not reported as edits when they were not written", () => {
        const { render, lines } = open();
        const review = { diffs: [diff], command: "make" };
        const reason = "No space is left; nothing was changed.";
        const lost = { status: "denied", decidedBy: "policy", reason, what: "app.ts" } as const;
        render(reviewed("1", review), reviewed("1", { command: "make", ...lost }));
        render(done("1", "Running make", { summary: "contained · exit 0 in 5ms" }));
        expect(lines).to.deep.equal([
            "⚡ Running make · contained · exit 0 in 5ms",
            `✘ Not written: app.ts · ${reason}`,
        ]);
    });

    it("A denial takes one line", () => {
        const { render, lines } = open();
        const denied = { status: "denied" } as const;
        const refusal = { ok: false, error: { code: "denied", message: "The user said no." } };
        render(reviewed("1", { ...denied, diffs: [diff] }), done("1", "Editing", refusal));
        render(reviewed("2", { ...denied, subject: "shell", what: "rm -rf a\nls" }));
        render(done("2", "Running rm", refusal));
        render(reviewed("3", { ...denied, subject: "ask", what: "Reach x?" }));
        render(done("3", "Fetching https://x", refusal));
        expect(lines).to.deep.equal([
            "✘ Rejected app.ts (+3 -1)",
            "✘ Denied rm -rf a …",
            "✘ Denied: Fetching https://x",
        ]);
    });

    it("A command that was not allowed to reach a host is shown as run", () => {
        const { render, lines } = open();
        render(reviewed("1", { status: "denied", subject: "ask", what: "Reach x.example?" }));
        const summary = "contained · x.example refused · exit 1 in 2s";
        render(done("1", "Running pip install x", { summary }));
        expect(lines).to.deep.equal([`⚡ Running pip install x · ${summary}`]);
    });

    it("An approved change that was not written is shown with the reason", () => {
        const { render, lines } = open();
        render(reviewed("1", { diffs: [diff] }));
        const error = { code: "stale", message: "app.ts has changed since." };
        render(done("1", "Editing app.ts", { ok: false, error }));
        expect(lines).to.deep.equal(["⚡ Editing app.ts ✘ app.ts has changed since."]);
    });

    it("A running command shows its last lines, a finished one only a few", () => {
        const { render, lines, state } = open();
        const output = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("");
        render(started("1", "Running make"), {
            type: "tool-output-delta",
            callId: "1",
            text: output,
        });
        expect(state.activities[0]?.details).to.deep.equal([
            "line 16",
            "line 17",
            "line 18",
            "line 19",
            "line 20",
        ]);
        render(done("1", "Running make"));
        expect(lines.slice(0, 3)).to.deep.equal([
            "⚡ Running make",
            "    … 10 lines above · /expand shows all",
            "    line 11",
        ]);
    });

    it("The truncated output of a cancelled call can be expanded", () => {
        for (const [said, expected] of [
            ["line\n".repeat(11), "    … 1 line above · /expand shows all"],
            ["line\n".repeat(10), "    line"],
        ] as const) {
            const { render, lines } = open();
            const output = { type: "tool-output-delta", callId: "1", text: said } as const;
            render(started("1", "Running make"), output, end({ stopReason: "cancelled" }));
            expect(lines.slice(0, 2)).to.deep.equal(["[Cancelled] Running make", expected]);
        }
    });

    it("Endless output takes little memory", () => {
        const { render, state } = open();
        render(started("1", "Running yes"));
        for (let count = 0; count < 1000; count += 1) {
            render({ type: "tool-output-delta", callId: "1", text: "y".repeat(10_000) });
        }

        expect(state.activities[0]?.details?.join("").length).to.be.below(10_000);
    });

    it("A streamed file is shown as it grows and ends as one line with its outcome", () => {
        const { render, lines, state } = open();
        const growing = (lineCount: number): AgentEvent => ({
            type: "file-progress",
            fileId: "f",
            path: "a/b.ts",
            lines: lineCount,
        });
        const file = { type: "file-finished", fileId: "f", path: "a/b.ts", lines: 120 } as const;
        render(text("A long one:\n"), growing(1), growing(120));
        expect(state.activities.map(({ label }) => label)).to.deep.equal([
            "Writing a/b.ts · 120 lines",
        ]);
        const created: FileDiff = { ...diff, path: "a/b.ts", kind: "created", linesRemoved: 0 };
        render(reviewed("f", { what: "a/b.ts", diffs: [created] }), { ...file, ok: true });
        expect(state.activities.map(({ label }) => label)).to.deep.equal(["Working"]);
        render(reviewed("f", { status: "denied", diffs: [created] }), { ...file, ok: false });
        const error = { code: "protected-path", message: "It belongs to git." };
        render({ ...file, fileId: "g", ok: false, error });
        expect(lines).to.deep.equal([
            "",
            "● A long one:",
            "✔ Created a/b.ts (+3 -0)",
            "✘ Rejected a/b.ts (+3 -0)",
            "⚡ Writing a/b.ts ✘ It belongs to git.",
        ]);
    });

    it("A call that is still arriving shows its file and how much of it there is", () => {
        const { render, state } = open();
        const call = { callId: "1", name: "edit_create_file" };
        render({ type: "tool-call-preparing", ...call });
        render({ type: "tool-call-growing", ...call, path: "a/b.ts", lines: 0 });
        const labels = () => state.activities.map(({ label }) => label);
        expect(labels()).to.deep.equal(["Preparing edit_create_file a/b.ts"]);
        render({ type: "tool-call-growing", ...call, path: "a/b.ts", lines: 214 });
        expect(labels()).to.deep.equal(["Preparing edit_create_file a/b.ts · 214 lines"]);
    });

    it("A cancel is announced after the text that came before it", () => {
        const { render, lines } = open();
        render(text("Half a sen"), end({ stopReason: "cancelled" }));
        expect(lines).to.deep.equal(["", "● Half a sen", "[Cancelled]"]);
    });

    it("An error or a limit that ended the turn is shown", () => {
        const { render, lines } = open();
        render(end({ stopReason: "error", error: new Error("broken") }));
        render(end({ stopReason: "max-turns" }));
        expect(lines).to.deep.equal([
            "error: broken",
            "! Stopped after 1 request (--max-turns). Start North with a higher limit to continue.",
        ]);
    });

    it("A call shows one live line, and the turn shows another after it", () => {
        const { render, state } = open();
        const labels = () => state.activities.map(({ label }) => label);
        render({ type: "tool-call-preparing", callId: "1", name: "read_file" });
        expect(labels()).to.deep.equal(["Preparing read_file"]);
        render(started("1", "Reading"));
        expect(labels()).to.deep.equal(["Reading"]);
        render(done("1", "Reading"));
        expect(labels()).to.deep.equal(["Working"]);
        render(end());
        expect(labels()).to.deep.equal([]);
    });

    it("The live line says what happens and how many tokens from the first event to the last", () => {
        const { render, renderer, state } = open();
        const line = () =>
            state.activities.map(({ label, note }) => [label, ...(note ? [note()] : [])].join(" "));
        renderer.begin();
        expect(line()).to.deep.equal(["Working"]);
        render({ type: "request-started", estimatedTokens: 24_100 });
        expect(line()).to.deep.equal(["Waiting for the model ↑ 24.1K tokens"]);
        render({ type: "thinking-delta", text: "x".repeat(350) });
        expect(line()).to.deep.equal(["Thinking ↓ 111 tokens"]);
        render(text("y".repeat(350)));
        expect(line()).to.deep.equal(["Answering ↓ 221 tokens"]);
        render(textEnd);
        expect(line()).to.deep.equal(["Answering ↓ 221 tokens"]);
    });

    it("Retries print their reason once and count down in the live line", () => {
        let now = 0;
        const { render, lines, state } = open(0, { now: () => now });
        const request: AgentEvent = { type: "request-started", estimatedTokens: 10 };
        const retry = (attempt: number, reason: string): AgentEvent => ({
            type: "retry-scheduled",
            attempt,
            delayMs: 2_000,
            reason,
        });
        render(request, retry(1, "Overloaded."));
        expect(state.activities).to.deep.equal([{ label: "Retry 1", since: 0, until: 2_000 }]);
        now = 2_000;
        render(request);
        expect(state.activities[0]).to.include({ label: "Retry 1", since: 2_000 });
        expect(state.activities[0]).to.not.have.property("until");
        render(retry(2, "Overloaded."), request, retry(3, "The network is gone."));
        render(request, text("Done."), textEnd);
        expect(lines).to.deep.equal(["↻ Overloaded.", "↻ The network is gone.", "", "● Done."]);
    });

    it("The time of a call does not include the time of its question", () => {
        let now = 1_000;
        const { render, state } = open(0, { now: () => now });
        render(started("1", "Editing app.ts"));
        expect(state.activities[0]).to.include({ since: 1_000 });
        now = 60_000;
        render(reviewed("1", {}));
        expect(state.activities[0]).to.include({ since: 60_000 });
    });

    it("Output of discarded tries does not run together", () => {
        const { render, lines } = open(0);
        const cut = (attempt: number): AgentEvent[] => [
            text("half an ans"),
            { type: "retry-scheduled", attempt, delayMs: 1, reason: "Cut off." },
        ];
        render(...cut(1), ...cut(2), text("half an answer"), textEnd);
        const said = ["● half an ans", "↻ Cut off.", "● half an ans", "● half an answer"];
        expect(lines.filter((line) => line !== "")).to.deep.equal(said);
    });
});
