import { expect } from "chai";
import fc from "fast-check";

import { allDiffsOf } from "../../../src/core/diff/diff.js";
import { splitChanges, type Hunk } from "../../../src/core/diff/split-changes.js";
import type { FileChange } from "../../../src/plugin/index.js";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

function change(before: string | null, after: string | null): FileChange {
    return {
        path: "a.txt",
        before: before === null ? null : bytes(before),
        beforeHash: before === null ? null : "hash",
        after: after === null ? null : bytes(after),
        mode: 0o755,
    };
}

const split = (...changes: FileChange[]) => splitChanges({ changes }, []);

/** Applies what a hunk shows, by its own line numbers: what a reader would do by hand. */
function applyShown(before: string, hunks: readonly Hunk[]): string {
    const lines = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    for (const { diff } of hunks.toReversed()) {
        const [header = "", ...rest] = `${diff.diff}\n`.split(/(?<=\n)/);
        const [, start, amount] = /^@@ -(\d+),(\d+) /.exec(header) ?? [];
        const shown: string[] = [];
        for (const line of rest) {
            if (!line.startsWith("\\")) shown.push(line);
            else shown.push(shown.pop()!.replace(/\n$/, ""));
        }
        const kept = shown.filter((line) => !line.startsWith("-")).map((line) => line.slice(1));
        const from = Number(amount) === 0 ? Number(start) : Number(start) - 1;
        lines.splice(from, Number(amount), ...kept);
    }
    return lines.join("");
}

const line = fc.constantFrom("a\n", "b\n", "c\r\n", "\n", "d\n", "}\n", "\r\n");
const text = fc
    .tuple(
        fc.constantFrom("", "\u00ef\u00bb\u00bf"),
        fc.array(line, { maxLength: 40 }),
        fc.constantFrom("", "end")
    )
    .map(([mark, lines, end]) => mark + lines.join("") + end);

/** Two texts that share most of their lines. */
const pair = fc
    .tuple(
        text,
        fc.array(fc.tuple(fc.nat(60), fc.nat(3), fc.array(line, { maxLength: 2 })), {
            maxLength: 5,
        })
    )
    .map(([before, edits]): [string, string] => {
        const lines = before.split(/(?<=\n)/);
        for (const [at, remove, add] of edits) {
            lines.splice(at % (lines.length + 1), remove, ...add);
        }
        return [before, lines.join("")];
    })
    .filter(([before, after]) => before !== after);

describe("splitChanges", () => {
    it("Any choice of hunks gives the same file as applying them by hand", async () => {
        await fc.assert(
            fc.asyncProperty(pair, fc.array(fc.boolean()), async ([before, after], choice) => {
                const { hunks, compose } = split(change(before, after));
                const chosen = hunks.filter((_, index) => choice[index]);
                const [composed] = compose(new Set(chosen)).changes;
                const result = composed ? Buffer.from(composed.after!).toString("latin1") : before;
                const isOneByte = hunks[0]?.header !== "(the whole file)";
                if (isOneByte) {
                    const shown = applyShown(
                        Buffer.from(before, "latin1").toString("utf8"),
                        chosen
                    );
                    expect(Buffer.from(result, "latin1").toString("utf8")).to.equal(shown);
                }
                const all = compose(new Set(hunks)).changes;
                expect(Buffer.from(all[0]!.after!).toString("latin1")).to.equal(after);
                expect(compose(new Set()).changes).to.deep.equal([]);
            }),
            { numRuns: 300 }
        );
    });

    it("The reviewed mode and hash are kept", async () => {
        const { hunks, compose } = split(change("1\n", "2\n"));
        expect(compose(new Set(hunks)).changes[0]).to.deep.include({
            mode: 0o755,
            beforeHash: "hash",
        });
    });

    it("Each hunk says what lines do not show, as it is applied with them", () => {
        const changed = { ...change("1\n", "2\n"), mode: 0o4755 };
        const { hunks } = splitChanges({ changes: [changed] }, allDiffsOf({ changes: [changed] }));
        expect(hunks.map(({ diff }) => diff.note)).to.deep.equal(["mode 4755"]);
    });

    it("New, deleted and binary files are reviewed whole and one by one", async () => {
        const changes = [
            change(null, "new\n"),
            change("old\n", null),
            change("\0\x01\n", "\0\x02\n"),
        ];
        const { hunks, compose } = split(...changes);
        expect(hunks.map(({ header }) => header)).to.deep.equal(Array(3).fill("(the whole file)"));
        expect(compose(new Set(hunks.slice(1, 2))).changes).to.deep.equal([changes[1]]);
    });

    it("Distant changes are separate hunks", async () => {
        const lines = Array.from({ length: 20 }, (_, index) => `${index}\n`);
        const changed = lines.with(0, "x\n").with(7, "y\n").with(15, "z\n").join("");
        const { hunks } = split(change(lines.join(""), changed));
        expect(hunks.map(({ header }) => header)).to.deep.equal([
            "@@ -1,11 +1,11 @@",
            "@@ -13,7 +13,7 @@",
        ]);
    });
});
