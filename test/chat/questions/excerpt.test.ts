import { expect } from "chai";
import fc from "fast-check";
import { diffBody } from "../../../src/chat/questions/diff-body.js";
import { stripControls } from "../../../src/base/safe-text.js";
import { excerptOf } from "../../../src/chat/questions/excerpt.js";
import { createTheme } from "../../../src/chat/terminal/theme.js";
import { diffsOf } from "../../../src/core/diff/diff.js";

const theme = createTheme(1);

/** Files whose lines name them, each with some of 60 lines changed. */
function diffsWith(changed: readonly (readonly number[])[]) {
    const text = (file: number, numbers: readonly number[], word: string) =>
        Array.from({ length: 60 }, (_, line) =>
            numbers.includes(line) ? `f${file}.ts ${word} ${line}\n` : `f${file}.ts ${line}\n`
        ).join("");
    const changes = changed.map((numbers, file) => ({
        path: `src/f${file}.ts`,
        before: Buffer.from(text(file, [], "")),
        beforeHash: "before",
        after: Buffer.from(text(file, numbers, "new")),
    }));
    return diffsOf({ changes });
}

describe("An excerpt of several files", () => {
    it("Long lines that differ where they are cut are not called the same", () => {
        const line = (word: string) => `${"a b".repeat(1_500)} ${word} ${"c d".repeat(1_500)}\n`;
        const words = ["good", "good", "evil", "good", "good", "good"];
        const after = Buffer.from(words.map(line).join(""));
        const change = { path: "a.txt", before: null, beforeHash: null, after };
        const body = diffBody(diffsOf({ changes: [change] }), { theme });
        expect(body).to.have.length(6);
    });

    it("Each line stands below the name of its file, also after what is left out", () => {
        const lines = fc.uniqueArray(fc.nat(59), { minLength: 1, maxLength: 8 });
        fc.assert(
            fc.property(
                fc.array(lines, { minLength: 2, maxLength: 5 }),
                fc.integer({ min: 5, max: 60 }),
                (changed, room) => {
                    const body = diffBody(diffsWith(changed), { theme });
                    const { rows } = excerptOf(body, 80, room);
                    expect(rows.length).to.be.at.most(room);
                    let file = "";
                    for (const row of rows.map(stripControls)) {
                        file = /^src\/(f\d\.ts) /.exec(row)?.[1] ?? file;
                        const own = /^ *\d+ [-+ ](f\d\.ts) /.exec(row)?.[1];
                        if (own !== undefined) expect(own, rows.join("\n")).to.equal(file);
                    }
                }
            ),
            { numRuns: 60 }
        );
    });
});
