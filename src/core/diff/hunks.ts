import { withoutInvalid } from "../../base/byte-names.js";
import type { Segment } from "./compare-lines.js";

/** Context lines around a change; changes up to twice this apart share a hunk. */
export const CONTEXT = 3;

const NO_NEWLINE = "\\ No newline at end of file";

/** Adjacent changed segments, as grouped by a unified diff. */
export interface DiffHunk {
    /** `@@ -1,3 +1,4 @@` */
    readonly header: string;
    /** Lines with their sign, without line ends. */
    readonly lines: readonly string[];
    readonly segments: readonly number[];
    readonly linesAdded: number;
    readonly linesRemoved: number;
}

/** Splits a file into lines including line ends, decoded as latin1 so that no byte is lost. */
export function linesOf(bytes: Uint8Array): string[] {
    return (
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
            .toString("latin1")
            .match(/(?<![^\n])(?:[^\n]*\n|[^\n]+$)/g) ?? []
    );
}

/** A line of `linesOf` as text, without its end. */
export function lineText(line: string): string {
    return Buffer.from(line, "latin1")
        .toString("utf8")
        .replace(/\r?\n$/, "");
}

/** The hunks of two compared files (`linesOf`), or parts with `linesAbove` equal lines above. */
export function hunksOf(segments: readonly Segment[], linesAbove = 0): DiffHunk[] {
    const hunks: DiffHunk[] = [];
    let [old, fresh] = [linesAbove, linesAbove];
    let group: number[] = [];
    let start = { old, fresh };
    const finish = (): void => {
        if (group.length > 0) hunks.push(hunkOf(segments, group, start));
        group = [];
    };
    for (const [index, { before, after, isEqual }] of segments.entries()) {
        if (isEqual && before.length > 2 * CONTEXT) finish();
        if (!isEqual) {
            if (group.length === 0) start = { old, fresh };
            group.push(index);
        }
        old += before.length;
        fresh += after.length;
    }
    finish();
    return hunks;
}

function hunkOf(
    segments: readonly Segment[],
    group: readonly number[],
    start: { readonly old: number; readonly fresh: number }
): DiffHunk {
    const [first = 0, last = first] = [group[0], group.at(-1)];
    const above = segments[first - 1]?.after.slice(-CONTEXT) ?? [];
    const below = segments[last + 1]?.after.slice(0, CONTEXT) ?? [];
    const changed = segments.slice(first, last + 1);
    const count = (side: "before" | "after"): number =>
        changed.reduce((sum, segment) => sum + segment[side].length, above.length + below.length);
    const [oldLines, freshLines] = [count("before"), count("after")];
    const range = (lead: number, lines: number): string =>
        `${lead - above.length + (lines > 0 ? 1 : 0)},${lines}`;
    const lines = [
        ...above.flatMap((line) => signed(" ", line)),
        ...changed.flatMap(linesOfStretch),
        ...below.flatMap((line) => signed(" ", line)),
    ];
    const equal = changed
        .filter(({ isEqual }) => isEqual)
        .reduce((sum, { after }) => sum + after.length, above.length + below.length);
    return {
        header: `@@ -${range(start.old, oldLines)} +${range(start.fresh, freshLines)} @@`,
        lines,
        segments: group,
        linesAdded: freshLines - equal,
        linesRemoved: oldLines - equal,
    };
}

function linesOfStretch({ before, after, isEqual }: Segment): string[] {
    if (isEqual) return before.flatMap((line) => signed(" ", line));
    return [
        ...before.flatMap((line) => signed("-", line)),
        ...after.flatMap((line) => signed("+", line)),
    ];
}

function signed(sign: string, line: string): string[] {
    // Bytes that are not UTF-8 would all look alike.
    const text = withoutInvalid(line, (byte) => `⟨${byte.toString(16)}⟩`);
    return line.endsWith("\n") ? [sign + text.slice(0, -1)] : [sign + text, NO_NEWLINE];
}
