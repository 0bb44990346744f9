import * as fc from "fast-check";

// Characters that exercise everything at once: white space of all kinds, letters that repeat so that
// matches happen, two- and four-byte characters, and patterns' own characters.
const CHARACTERS = ["a", "b", " ", "\t", "{", "}", ".", "*", "\\", "é", "✓", "😀", "$"];
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** A line's text, short, so that lines are often the same. */
export const lineText = fc
    .array(fc.constantFrom(...CHARACTERS), { maxLength: 5 })
    .map((characters) => characters.join(""));

/** A line of bytes: mostly UTF-8, sometimes not, never with a line break or a NUL in it. */
const lineBytes = fc.oneof(
    { weight: 5, arbitrary: lineText.map((text) => Buffer.from(text)) },
    {
        weight: 1,
        arbitrary: fc
            .array(fc.constantFrom(0x61, 0x80, 0xc3, 0xe9, 0xff, 0xf0), { maxLength: 4 })
            .map((bytes) => Buffer.from(bytes)),
    }
);

/** A file as its lines and line breaks: LF, CRLF, mixed; with and without a last break and BOM. */
export interface SampleFile {
    readonly lines: readonly { readonly text: Buffer; readonly ending: "" | "\n" | "\r\n" }[];
    readonly bom: boolean;
}

export const sampleFile: fc.Arbitrary<SampleFile> = fc
    .record({
        texts: fc.array(lineBytes, { maxLength: 12 }),
        style: fc.constantFrom("lf", "crlf", "mixed"),
        mixture: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
        lastBreak: fc.boolean(),
        bom: fc.boolean(),
    })
    .map(({ texts, style, mixture, lastBreak, bom }) => ({
        bom,
        lines: texts
            .map((text, index) => {
                const isCrLf = style === "crlf" || (style === "mixed" && mixture[index] === true);
                const isLast = index === texts.length - 1;
                const ending = isLast && !lastBreak ? "" : isCrLf ? "\r\n" : "\n";
                return { text, ending } as const;
            })
            // A last line without anything in it is no line.
            .filter(({ text, ending }) => text.length > 0 || ending !== ""),
    }));

export function bytesOf({ lines, bom }: SampleFile): Buffer {
    const body = lines.flatMap(({ text, ending }) => [text, Buffer.from(ending)]);
    return Buffer.concat(bom ? [BOM, ...body] : body);
}

/** How new lines at a line end: as it does, or the one before where it is the last without one. */
export function endingAtLine(file: SampleFile, index: number): "\n" | "\r\n" {
    const after = file.lines.slice(Math.max(0, index)).find(({ ending }) => ending !== "");
    const before = file.lines.slice(0, Math.max(0, index)).findLast(({ ending }) => ending !== "");
    const found = (after ?? before)?.ending;
    return found === "\r\n" ? "\r\n" : "\n";
}

/**
 * The plain way to say what splicing lines means: an array of lines, some of them taken out, others
 * put in. For comparison with the one that works on offsets.
 */
export function spliceReference(
    file: SampleFile,
    {
        at,
        remove,
        content,
        endingOf,
    }: { at: number; remove: number; content: string; endingOf: number }
): Buffer {
    const ending = endingAtLine(file, endingOf);
    const added = content === "" ? [] : content.replace(/\n$/, "").split("\n");
    const lines = file.lines.map((line) => ({ ...line }));
    const lacksBreak = lines.at(-1)?.ending === "";
    const isAtEnd = at + remove === lines.length;
    const inserted = added.map((text) => ({ text: Buffer.from(text), ending }) as const);
    const result: { text: Buffer; ending: string }[] = [...lines];
    result.splice(at, remove, ...inserted);
    if (lacksBreak && isAtEnd && inserted.length > 0) {
        const before = result[at - 1];
        if (remove === 0 && before !== undefined) before.ending = ending;
        const last = result.at(-1);
        if (last !== undefined) last.ending = "";
    }
    const body = result.flatMap((line) => [line.text, Buffer.from(line.ending)]);
    return Buffer.concat(file.bom ? [BOM, ...body] : body);
}
