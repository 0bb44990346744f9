import { expect } from "chai";
import { exchangeLines } from "../../../src/chat/render/exchanges.js";
import { loadInline } from "../../../src/chat/render/markdown/inline.js";
import { loadWidths } from "../../../src/chat/terminal/graphemes.js";
import { stripControls } from "../../../src/base/safe-text.js";
import { createTheme } from "../../../src/chat/terminal/theme.js";
import type { AssistantEntry, Entry } from "../../../src/plugin/records.js";
import { replyEntry, userEntry } from "../../storage/samples.js";

const theme = createTheme(0);
const base = { at: 1 };

function call(callId: string, changes: object = {}): Entry {
    return {
        ...base,
        kind: "tool_result",
        id: `result-${callId}`,
        callId,
        name: "read_file",
        content: '{"ok":true,"data":{}}',
        ok: true,
        durationMs: 1,
        intent: `Reading ${callId}`,
        ...changes,
    };
}

const linesOf = (entries: readonly Entry[], last?: number) =>
    exchangeLines(entries, theme, { id: "3fa2c1", ...(last === undefined ? {} : { last }) })
        .join("\n")
        .split("\n");

describe("Last exchanges of a conversation", () => {
    it("Earlier exchanges look as in the chat, below a line that introduces them", () => {
        const entries = ["one", "two", "three", "four"].flatMap((word) => [
            userEntry(`say ${word}`),
            replyEntry(word),
        ]);
        expect(linesOf(entries, 2)).to.deep.equal([
            "── conversation 3fa2c1, the last 2 of 4 exchanges ──",
            "",
            "❯ say three",
            "",
            "● three",
            "",
            "❯ say four",
            "",
            "● four",
        ]);
    });

    it("Calls, failures, denials, commands and undone changes are shown", () => {
        const failure = '{"ok":false,"error":{"code":"not-found","message":"There is no b."}}';
        const entries: Entry[] = [
            userEntry("go"),
            call("a", { summary: "12 lines" }),
            call("b", { ok: false, content: failure }),
            {
                ...base,
                kind: "review",
                id: "review",
                callId: "c",
                subject: "shell",
                status: "denied",
                decidedBy: "user",
                what: "rm -rf x",
                reason: "not that folder",
            },
            call("c", { ok: false, content: "{}" }),
            { ...base, kind: "command", id: "command", name: "undo", argumentsText: "" },
            {
                ...base,
                kind: "change",
                id: "undo",
                undoes: ["x"],
                files: [{ path: "a.txt", beforeHash: "1", afterHash: "2" }],
            },
        ];
        expect(linesOf(entries, 3).slice(3)).to.deep.equal([
            "⚡ Reading a · 12 lines",
            "⚡ Reading b ✘ There is no b.",
            "✘ Denied rm -rf x · not that folder",
            "",
            "❯ /undo",
            "↶ Undid the edits to a.txt",
        ]);
    });

    it("The history shows what was undone, redone and applied in a draft", () => {
        const drafted = { ...base, kind: "drafted" } as const;
        const files = [{ path: "a.txt", beforeHash: "1", afterHash: "2" }];
        const entries: Entry[] = [
            userEntry("go"),
            { ...drafted, id: "made", files },
            { ...drafted, id: "undone", undoes: ["made"], files },
            { ...drafted, id: "redone", undoes: ["undone"], files },
            { ...base, kind: "change", id: "applied", applies: ["made"], files },
        ];
        expect(linesOf(entries, 3).slice(3)).to.deep.equal([
            "↶ Undid the edits to a.txt in the draft",
            "↶ Redid the edits to a.txt in the draft",
            "✔ Applied the draft: a.txt",
        ]);
    });

    it("An undo of many files names only the first", () => {
        const files = Array.from({ length: 2_000 }, (_, index) => ({
            path: `${index}.txt`,
            beforeHash: "1",
            afterHash: "2",
        }));
        const undone: Entry = { ...base, kind: "change", id: "undone", undoes: ["x"], files };
        const [line] = linesOf([userEntry("go"), undone]).slice(3);
        expect(line).to.match(/^↶ Undid the edits to 0\.txt, [^]+, 9\.txt, 1,990 more$/);
    });

    it("A contained command stays above the changes of it that were rejected", () => {
        const review = { id: "review", subject: "write", status: "denied", decidedBy: "user" };
        const entries = [
            userEntry("go"),
            { ...base, ...review, kind: "review", callId: "c", what: "a.txt, b.txt" } as Entry,
            call("c", { intent: "Running make", summary: "contained · exit 0 in 5 ms" }),
        ];
        expect(linesOf(entries, 3).slice(3)).to.deep.equal([
            "⚡ Running make · contained · exit 0 in 5 ms",
            "✘ Rejected a.txt, b.txt",
        ]);
    });

    it("Calls that changed files say what they did, like when it happened", () => {
        const data = (told: object) => JSON.stringify({ ok: true, data: told });
        const made = { path: "new.txt", beforeHash: null, afterHash: "1", modeAfter: 0o644 };
        const edited = { path: "a.txt", beforeHash: "1", afterHash: "2" };
        const counts = { linesAdded: 1200, linesRemoved: 3 };
        const review = { ...base, kind: "review", subject: "write", decidedBy: "user" } as const;
        const approved = { ...review, id: "review", status: "approved", what: "x" } as const;
        const entries: Entry[] = [
            userEntry("go"),
            { ...approved, callId: "a" },
            { ...base, kind: "change", id: "1", callId: "a", files: [made] },
            call("a", {
                content: data({ applied: "all", files: [{ path: "new.txt", ...counts }] }),
                summary: "+1,200 -3",
            }),
            { ...approved, callId: "b", decidedBy: "policy" },
            { ...base, kind: "change", id: "2", callId: "b", command: "make", files: [edited] },
            call("b", {
                content: data({
                    effects: { applied: "all", files: [{ path: "a.txt", ...counts }] },
                }),
                intent: "Running make",
                summary: "contained",
            }),
            {
                ...base,
                kind: "drafted",
                id: "3",
                callId: "c",
                command: "rm",
                files: [edited, made],
            },
            call("c", {
                content: data({
                    written: {
                        ok: true,
                        data: {
                            applied: "drafted",
                            files: ["a.txt", "new.txt"].map((path) => ({ path, ...counts })),
                        },
                    },
                }),
                intent: "Running rm",
            }),
        ];
        expect(linesOf(entries, 3).slice(3)).to.deep.equal([
            "✔ Created new.txt (+1,200 -3)",
            "⚡ Running make · contained",
            "✔ Edited a.txt (+1,200 -3) · automatic",
            "⚡ Running rm",
            "✎ 2 files (+2,400 -6)",
        ]);
    });

    it("A commit of a contained command is named, also if no file changed", () => {
        const review = { ...base, kind: "review", subject: "write", decidedBy: "user" } as const;
        const files = [{ path: "a.txt", beforeHash: "1", afterHash: "2" }];
        const git = ['Commit to main: "Fix retry" (1 file +1 -0)'];
        const told = { applied: "all", files: [{ path: "a.txt", linesAdded: 1, linesRemoved: 0 }] };
        const committed = (callId: string, data: object) =>
            call(callId, {
                content: JSON.stringify({ ok: true, data }),
                intent: "Running make",
                summary: "contained",
            });
        const entries: Entry[] = [
            userEntry("go"),
            { ...review, id: "1", status: "approved", callId: "a", what: "x" },
            { ...base, kind: "change", id: "2", callId: "a", command: "make", files },
            committed("a", { effects: told, git }),
            { ...review, id: "3", status: "approved", callId: "b", what: "x" },
            committed("b", { effects: { applied: "all", files: [] }, git }),
        ];
        expect(linesOf(entries, 3).slice(3)).to.deep.equal([
            "⚡ Running make · contained",
            `✔ ${git[0]}; Edited a.txt (+1 -0)`,
            "⚡ Running make · contained",
            `✔ ${git[0]}`,
        ]);
    });

    it("Surplus calls are counted unless everything is requested", () => {
        const calls = Array.from({ length: 15 }, (_, index) => call(`file-${index}`));
        const entries = [userEntry("go"), ...calls, replyEntry("Done.")];
        const cut = linesOf(entries, 3);
        expect(cut[3]).to.equal("  … 3 earlier calls");
        expect(cut[4]).to.equal("⚡ Reading file-3");
        expect(cut.at(-1)).to.equal("● Done.");
        expect(linesOf(entries).filter((line) => line.startsWith("⚡")).length).to.equal(15);
    });

    it("An answer that was cancelled or cut off by a kill is marked", () => {
        const entries = [
            userEntry("go"),
            replyEntry("Half", { status: "cancelled" }),
            userEntry("again"),
            replyEntry("", { status: "streaming", content: [] }),
        ];
        expect(linesOf(entries, 3).slice(4)).to.deep.equal([
            "● Half",
            "[Cancelled]",
            "",
            "❯ again",
            "[Interrupted]",
        ]);
    });

    it("Calls that a kill or a cancelled question left without a result say what became of them", () => {
        const calls = (...commands: readonly string[]) =>
            commands.map((command) => ({
                ...{ type: "tool-call", callId: command, name: "shell_run", input: { command } },
            })) as AssistantEntry["content"];
        const denial = { id: "review", subject: "shell", status: "denied", decidedBy: "user" };
        const entries = [
            userEntry("go"),
            replyEntry("", { content: calls("ls", "make") }),
            call("ls", { intent: "Running ls" }),
            userEntry("again"),
            replyEntry("", { content: calls("rm x", "pwd") }),
            { ...base, ...denial, kind: "review", callId: "rm x", what: "rm x" } as Entry,
        ];
        expect(linesOf(entries, 3).slice(3)).to.deep.equal([
            "⚡ Running ls",
            "⚡ shell_run make ✘ Interrupted before it finished; its effect is unknown.",
            "",
            "❯ again",
            "✘ Denied rm x",
            "⚡ shell_run pwd ✘ Not started: the turn was cancelled before it. Nothing ran.",
        ]);
    });

    it("Nothing in the log can control the terminal", () => {
        const entries = [userEntry("a\u001b[2Jb"), replyEntry("c\u001b]0;title\u0007d")];
        expect(linesOf(entries).join("\n")).not.to.match(/[\u001b\u0007]/);
    });

    it("Earlier messages, calls and commands are wrapped between words, with a hanging indent", async () => {
        await loadWidths();
        const entries = [
            userEntry("explain how the retry loop of the client ends"),
            call("a", {
                intent: "Running npm test in the folder of the client",
                summary: "exit 0",
            }),
            {
                ...base,
                kind: "command",
                id: "c",
                name: "drop",
                argumentsText: "2 of this long conversation, please",
            } as const,
        ];
        expect(exchangeLines(entries, theme, { id: "3fa2c1", columns: 30 }).slice(1)).to.deep.equal(
            [
                "",
                "❯ explain how the retry loop",
                "  of the client ends",
                "⚡ Running npm test in the",
                "   folder of the client · exit",
                "   0",
                "",
                "❯ /drop 2 of this long",
                "  conversation, please",
            ]
        );
    });

    it("A shell command and a decision about a draft are shown as what they were, not as slash commands", async () => {
        await loadWidths();
        const told = "The user kept only these hunks of the draft: a.ts @@ -1 +1 @@.";
        const command = { ...base, kind: "command" } as const;
        const entries = [
            userEntry("hello"),
            { ...command, id: "c", name: "!", argumentsText: "git status", told: "clean" },
            { ...command, id: "d", name: "draft", argumentsText: "apply", told },
        ];
        const lines = exchangeLines(entries, theme, { id: "3fa2c1", columns: 80 });
        expect(lines.slice(1)).to.deep.equal(["", "❯ hello", "", "❯ !git status", `· ${told}`]);
    });

    it("Earlier answers are styled and wrapped like streamed ones", async () => {
        await Promise.all([loadWidths(), loadInline()]);
        const answer = "A **bold** word.\n- an item that is longer than the terminal is wide";
        const entries = [userEntry("how?"), replyEntry(answer)];
        const lines = exchangeLines(entries, createTheme(1), { id: "3fa2c1", columns: 40 });
        expect(stripControls(lines.join("\n"))).to.match(
            /● A bold word\.\n• an item that is longer than the\n {2}terminal is wide$/
        );
    });
});
