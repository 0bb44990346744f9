import type { CodeKind, CodeSpan } from "../code-spans.js";

export interface Range {
    readonly from: number;
    readonly to: number;
}

/** A part of a line that looks the same from its beginning to its end. */
export interface LinePart {
    readonly text: string;
    readonly kind?: CodeKind | undefined;
    readonly isChanged: boolean;
}

/** Cuts a line where its code changes its kind and where a changed part begins or ends. */
export function lineParts(
    line: string,
    spans: readonly CodeSpan[] = [],
    changed: readonly Range[] = []
): LinePart[] {
    const code = spans.map(({ text }) => text).join("");
    // What a diff shows may be more than the line (a carriage return), or another one.
    const known = line.startsWith(code) ? spans : [];
    const rest = known.length > 0 ? line.slice(code.length) : line;
    const borders = changed.flatMap(({ from, to }) => [from, to]);
    let position = 0;
    return [...known, { text: rest, kind: undefined }].flatMap(({ text, kind }) => {
        const start = position;
        position += text.length;
        const cuts = [start, ...borders.filter((at) => at > start && at < position)];
        return cuts.flatMap((from, index) => {
            const part = text.slice(from - start, (cuts[index + 1] ?? position) - start);
            const isChanged = changed.some((range) => range.from <= from && from < range.to);
            return part === "" ? [] : { text: part, kind, isChanged };
        });
    });
}
