import { expect } from "chai";
import * as fc from "fast-check";
import { editAt, replaceBetween } from "../../../../src/builtin/tools/editing/anchor-edits.js";
import { encoded, toBytes, toTextBytes } from "../../../../src/builtin/tools/editing/byte-text.js";
import { exactMatches } from "../../../../src/builtin/tools/editing/exact-matches.js";
import { startOfLine, spliceLines } from "../../../../src/builtin/tools/editing/lines.js";
import { countLines } from "../../../../src/code/chunks.js";
import { replaceMatches } from "../../../../src/builtin/tools/edit-replace-exact.js";
import type { EditableText, TextEdit } from "../../../../src/builtin/tools/editing/edit-tool.js";
import { bytesOf, lineText, sampleFile, spliceReference, type SampleFile } from "./file-samples.js";

const content = fc
    .tuple(fc.array(lineText, { maxLength: 3 }), fc.boolean())
    .map(([lines, lastBreak]) => lines.join("\n") + (lastBreak ? "\n" : ""));

function open(file: SampleFile): { text: EditableText; bom: string } {
    const opened = toTextBytes(bytesOf(file));
    if (opened === undefined) throw new Error("A sample is text.");
    return { text: { path: "f", body: opened.body, isChangedSinceRead: false }, bom: opened.bom };
}

function resultBytes(result: TextEdit, bom: string): Buffer {
    if (!result.ok) throw new Error(JSON.stringify(result.error));
    return Buffer.from(toBytes({ bom, body: result.body }));
}

/** Lines that contain an anchor, by index. */
function linesWith(file: SampleFile, anchor: string): number[] {
    return file.lines.flatMap(({ text }, index) =>
        text.includes(Buffer.from(anchor)) ? [index] : []
    );
}

describe("Edits of any file", () => {
    it("A file without edits is written back byte for byte", () => {
        fc.assert(
            fc.property(sampleFile, (file) => {
                const bytes = bytesOf(file);
                const opened = toTextBytes(bytes);
                expect(opened && Buffer.from(toBytes(opened)).equals(bytes)).to.equal(true);
            })
        );
    });

    it("Lines are counted and found as in an array of lines", () => {
        fc.assert(
            fc.property(sampleFile, fc.nat(14), (file, index) => {
                const { text } = open({ ...file, bom: false });
                expect(countLines(text.body)).to.equal(file.lines.length);
                const before = bytesOf({ lines: file.lines.slice(0, index), bom: false });
                expect(startOfLine(text.body, index + 1)).to.equal(before.length);
            })
        );
    });

    it("An insertion at a line equals one into an array of lines", () => {
        fc.assert(
            fc.property(sampleFile, content, fc.nat(100), (file, added, position) => {
                const at = position % (file.lines.length + 1);
                const { text, bom } = open(file);
                const start = startOfLine(text.body, at + 1);
                const range = { start, end: start };
                const body = spliceLines(text.body, range, encoded(added), start);
                const expected = spliceReference(file, {
                    at,
                    remove: 0,
                    content: added,
                    endingOf: at,
                });
                expect(Buffer.from(toBytes({ bom, body }))).to.deep.equal(expected);
            }),
            { numRuns: 500 }
        );
    });

    it("Anchor edits equal the same edits of an array of lines", () => {
        const anchors = fc.constantFrom("a", "b", "é", "{", "}", ".", "aa", "😀");
        fc.assert(
            fc.property(sampleFile, anchors, content, fc.nat(10), (file, anchor, added, pick) => {
                const found = linesWith(file, anchor);
                const { text, bom } = open(file);
                const occurrence = found.length === 0 ? 1 : (pick % found.length) + 1;
                const edit = { anchor, content: added, occurrence };
                const at = found[occurrence - 1];
                if (at === undefined) {
                    expect(editAt(text, "insert_after", edit).ok).to.equal(false);
                    return;
                }
                for (const [mode, from, remove] of [
                    ["insert_before", at, 0],
                    ["insert_after", at + 1, 0],
                    ["replace_line", at, 1],
                ] as const) {
                    const options = { at: from, remove, content: added, endingOf: at };
                    const expected = spliceReference(file, options);
                    expect(resultBytes(editAt(text, mode, edit), bom)).to.deep.equal(expected);
                }
                if (found.length > 1) {
                    const { occurrence: _, ...ambiguous } = edit;
                    expect(editAt(text, "insert_after", ambiguous)).to.have.nested.property(
                        "error.candidates.length",
                        found.length
                    );
                }
            }),
            { numRuns: 500 }
        );
    });

    it("A replacement between two anchors equals one in an array of lines", () => {
        fc.assert(
            fc.property(
                sampleFile,
                fc.constantFrom("a", "{", "é"),
                fc.constantFrom("b", "}", "a"),
                content,
                fc.boolean(),
                (file, anchor, anchorEnd, added, inclusive) => {
                    const { text, bom } = open(file);
                    const [at] = linesWith(file, anchor);
                    const edit = { anchor, anchorEnd, content: added, occurrence: 1, inclusive };
                    const result = replaceBetween(text, edit);
                    const end = at === undefined ? -1 : endIndex(file, at, anchor, anchorEnd);
                    if (at === undefined || end === -1 || (end === at && !inclusive)) {
                        expect(result.ok).to.equal(false);
                        return;
                    }
                    const from = inclusive ? at : at + 1;
                    const expected = spliceReference(file, {
                        at: from,
                        remove: (inclusive ? end + 1 : end) - from,
                        content: added,
                        endingOf: at,
                    });
                    expect(resultBytes(result, bom)).to.deep.equal(expected);
                }
            ),
            { numRuns: 500 }
        );
    });

    function endIndex(file: SampleFile, at: number, anchor: string, anchorEnd: string): number {
        return file.lines.findIndex(({ text }, index) => {
            if (index < at || (index === at && anchor === anchorEnd)) return false;
            const behind = text.indexOf(Buffer.from(anchor)) + Buffer.from(anchor).length;
            return text.includes(Buffer.from(anchorEnd), index === at ? behind : 0);
        });
    }

    it("An exact replacement in a file with one kind of line break equals one in plain text", () => {
        const wanted = fc
            .array(fc.constantFrom("a", "b", "é", "\n", ".", " "), { minLength: 1, maxLength: 4 })
            .map((characters) => characters.join(""));
        fc.assert(
            fc.property(sampleFile, wanted, content, fc.boolean(), (file, old, added, isCrLf) => {
                const ending = isCrLf ? "\r\n" : "\n";
                const lines = file.lines.map((line) =>
                    line.ending === "" ? line : ({ ...line, ending } as const)
                );
                const { text, bom } = open({ ...file, lines });
                const plain = text.body.replaceAll("\r\n", "\n");
                const hasBreak = plain.includes("\n");
                const expected = plain
                    .split(encoded(old))
                    .join(encoded(added))
                    .replaceAll("\n", hasBreak ? ending : "\n");
                const body = replaceMatches(text.body, encoded(old), encoded(added));
                expect(Buffer.from(toBytes({ bom, body })).toString("latin1")).to.equal(
                    bom + expected
                );
            }),
            { numRuns: 1000 }
        );
    });

    it("An exact replacement in a mixed file touches no byte before or after it", () => {
        fc.assert(
            fc.property(sampleFile, fc.nat(11), fc.nat(11), content, (file, from, to, added) => {
                const { text } = open(file);
                const start = startOfLine(text.body, Math.min(from, to) + 1);
                const end = startOfLine(text.body, Math.max(from, to) + 1);
                const old = text.body.slice(start, end).replaceAll("\r\n", "\n");
                const matches = [...exactMatches(text.body, old, { overlapping: true })];
                if (old === "" || matches.length !== 1) return;
                expect(matches).to.deep.equal([{ start, end }]);
                const body = replaceMatches(text.body, old, encoded(added));
                expect(body.slice(0, start)).to.equal(text.body.slice(0, start));
                expect(body.slice(body.length - (text.body.length - end))).to.equal(
                    text.body.slice(end)
                );
                const between = body.slice(start, body.length - (text.body.length - end));
                expect(between.replaceAll("\r\n", "\n")).to.equal(encoded(added));
            }),
            { numRuns: 500 }
        );
    });

    it("Lines that only locate the match keep their line breaks", () => {
        fc.assert(
            fc.property(sampleFile, fc.nat(10), (file, index) => {
                const { text } = open(file);
                const line = file.lines[index];
                if (line === undefined || index === 0) return;
                const start = startOfLine(text.body, index);
                const end = startOfLine(text.body, index + 3);
                const old = text.body.slice(start, end).replaceAll("\r\n", "\n");
                const lines = old.split("\n");
                lines[1] = "<new>";
                const matches = [...exactMatches(text.body, old, { overlapping: true })];
                const isUnique = matches.length === 1;
                if (!isUnique || old.split("\n").length < 2) return;
                const body = replaceMatches(text.body, old, lines.join("\n"));
                const from = startOfLine(text.body, index + 1);
                const behind = from + line.text.length;
                expect(body).to.equal(`${text.body.slice(0, from)}<new>${text.body.slice(behind)}`);
            }),
            { numRuns: 500 }
        );
    });

    it("Overlapping matches count as several", () => {
        const starts = (overlapping: boolean): number[] =>
            [...exactMatches("aaaa", "aa", { overlapping })].map(({ start }) => start);
        expect(starts(false)).to.deep.equal([0, 2]);
        expect(starts(true)).to.deep.equal([0, 1, 2]);
    });

    it("Line breaks match as many and as such, wherever the other kind is", () => {
        const breaks = fc
            .array(fc.constantFrom("\n", "\r\n", "a"), { maxLength: 12 })
            .map((parts) => parts.join(""));
        /** Compares at each place, the slow way. */
        const endOf = (text: string, old: string, start: number): number | undefined => {
            let at = start;
            for (const [part] of old.matchAll(/\r\n|[^]/g)) {
                const own = part === "\n" && text.startsWith("\r\n", at) ? "\r\n" : part;
                const isInBreak = own === "\n" && at === start && text[at - 1] === "\r";
                if (!text.startsWith(own, at) || isInBreak) return undefined;
                at += own.length;
            }
            return at;
        };
        fc.assert(
            fc.property(breaks, breaks, (text, old) => {
                if (old === "") return;
                const expected: { start: number; end: number }[] = [];
                for (let start = 0; start < text.length; start += 1) {
                    const end = endOf(text, old, start);
                    if (end === undefined) continue;
                    expected.push({ start, end });
                    start = end - 1;
                }
                expect([...exactMatches(text, old)]).to.deep.equal(expected);
            }),
            { numRuns: 3000 }
        );
    });

    it("Thousands of blank lines are searched for among millions with other breaks", () => {
        const [text, old] = [`${"\n".repeat(8_000_000)}\r\n`, "\r\n".repeat(50_000)];
        expect([...exactMatches(text, old)]).to.deep.equal([]);
        expect([...exactMatches(text, `\n${old}`)]).to.deep.equal([]);
    });
});
