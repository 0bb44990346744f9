import { expect } from "chai";
import { exchangeLines } from "../../../src/chat/render/exchanges.js";
import { loadWidths } from "../../../src/chat/terminal/graphemes.js";
import { stripControls } from "../../../src/chat/terminal/safe-text.js";
import { createTheme } from "../../../src/chat/terminal/theme.js";
import type { Entry } from "../../../src/plugin/records.js";
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

describe("the last exchanges of a conversation", () => {
    it("stand as in the chat, below a line that says which they are", () => {
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

    it("show calls, failures, denials, commands, and what was taken back", () => {
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
            "✘ Denied rm -rf x",
            "/undo",
            "↶ Took back a.txt",
        ]);
    });

    it("count calls that are too many, unless all is wanted", () => {
        const calls = Array.from({ length: 15 }, (_, index) => call(`file-${index}`));
        const entries = [userEntry("go"), ...calls, replyEntry("Done.")];
        const cut = linesOf(entries, 3);
        expect(cut[3]).to.equal("  … 3 earlier calls");
        expect(cut[4]).to.equal("⚡ Reading file-3");
        expect(cut.at(-1)).to.equal("● Done.");
        expect(linesOf(entries).filter((line) => line.startsWith("⚡")).length).to.equal(15);
    });

    it("say of an answer that it was cancelled, or cut off by a kill", () => {
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

    it("let nothing in the log drive the terminal", () => {
        const entries = [userEntry("a\u001b[2Jb"), replyEntry("c\u001b]0;title\u0007d")];
        expect(linesOf(entries).join("\n")).not.to.match(/[\u001b\u0007]/);
    });

    it("look like answers that stream in: without marks, within the width", async () => {
        await loadWidths();
        const answer = "A **bold** word.\n- an item that is longer than the terminal is wide";
        const entries = [userEntry("how?"), replyEntry(answer)];
        const lines = exchangeLines(entries, createTheme(1), { id: "3fa2c1", columns: 40 });
        expect(stripControls(lines.join("\n"))).to.match(
            /● A bold word\.\n• an item that is longer than the\n {2}terminal is wide$/
        );
    });
});
