import { expect } from "chai";

import { reviewHunks } from "../../../src/chat/questions/hunk-review.js";
import { ShownLines } from "../../../src/chat/questions/shown-lines.js";
import { loadWidths } from "../../../src/chat/terminal/graphemes.js";
import { diffsOf } from "../../../src/core/diff/diff.js";
import { eventually } from "../../helpers/north-program.js";
import { openQuestionTerminal } from "../../helpers/question-terminal.js";

describe("The review of hunks", () => {
    it("Counts of thousands are written like everywhere else", async () => {
        await loadWidths();
        const lines = Array.from({ length: 1_200 * 10 }, (_, index) => `line ${index}`);
        const after = lines.map((line, index) => (index % 10 === 0 ? `${line}!` : line));
        const [before, edited] = [lines, after].map((text) => Buffer.from(`${text.join("\n")}\n`));
        const change = { path: "a.txt", before: before!, beforeHash: "", after: edited! };
        const changeSet = { changes: [change] };
        const request = {
            kind: "write",
            callId: "c",
            changeSet,
            diffs: diffsOf(changeSet),
        } as const;
        let written = "";
        const chat = openQuestionTerminal((data) => (written += data), { columns: 150, rows: 24 });
        const { theme } = chat.place.terminal;
        const stop = new AbortController();
        const prompt = { ...chat.place, shown: new ShownLines(changeSet) };
        const review = reviewHunks(request, prompt, stop.signal, { theme });
        await eventually(() => written.includes("Apply hunk"), "the first hunk");
        stop.abort();
        await review;
        chat.close();
        expect(written)
            .to.contain("Apply hunk 1 of 1,200 in a.txt?")
            .and.to.contain("1,200 left")
            .and.to.contain("apply rest, 1,199 not shown");
    });
});
