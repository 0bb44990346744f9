import { expect } from "chai";

import { rewrapOf, rowsAboveCursor } from "../../../src/chat/terminal/rewrap.js";

describe("rewrapOf", () => {
    const cases: readonly (readonly [string, NodeJS.ProcessEnv, string])[] = [
        ["most terminals", { TERM: "xterm-256color" }, "all"],
        ["xterm", { TERM: "xterm-256color", XTERM_VERSION: "XTerm(390)" }, "none"],
        ["kitty started from xterm", { TERM: "xterm-kitty", XTERM_VERSION: "XTerm(390)" }, "all"],
        ["tmux in xterm", { TERM: "screen", TMUX: "/tmp/a", XTERM_VERSION: "XTerm(390)" }, "all"],
        ["screen", { TERM: "screen", STY: "1.pts" }, "none"],
        ["the Linux console", { TERM: "linux" }, "none"],
        ["the terminal of an editor", { TERM_PROGRAM: "vscode" }, "from below"],
    ];
    for (const [name, environment, rewrap] of cases) {
        it(`The rewrapping of ${name} is known`, () =>
            expect(rewrapOf(environment)).to.equal(rewrap));
    }
});

describe("rowsAboveCursor", () => {
    const rows = ["", "x".repeat(15), "漢".repeat(5), "end"];

    it("A row is counted as it wraps in fewer columns, wide characters included", () => {
        const block = { rows, cursor: { row: 3, column: 3 } };
        expect(rowsAboveCursor(block, 80, "all")).to.equal(3);
        // No half of a character stands in the fifth column.
        expect(rowsAboveCursor(block, 5, "all")).to.equal(1 + 3 + 3);
        expect(rowsAboveCursor(block, 5, "none")).to.equal(3);
    });

    it("Rows before the cursor within its own line are counted", () => {
        expect(rowsAboveCursor({ rows, cursor: { row: 1, column: 12 } }, 5, "all")).to.equal(3);
        expect(rowsAboveCursor({ rows: rows.slice(0, 2) }, 5, "all")).to.equal(3);
    });
});
