import type { LineOrigin, WrittenLine } from "./blame.js";
import { groupedLines, inRanges } from "./line-ranges.js";

export interface ModelLine {
    /** From 1. */
    readonly line: number;
    readonly origin: WrittenLine;
    /** Whether a person had it on a screen whole, and said yes to it or marked it. */
    readonly isSeen: boolean;
}

/**
 * Lines that a person has marked as seen. A line is known by the change that wrote it and its
 * number there, so a mark goes wherever blame follows the line, and to no other.
 */
export interface SeenMark {
    readonly conversation: string;
    readonly change: string;
    readonly path: string;
    /** As ranges: `1-4,9`. */
    readonly lines: string;
}

/** The model's lines among those of a file. An undo or a drop is the user's. */
export function modelLinesOf(
    origins: readonly LineOrigin[],
    marks: readonly SeenMark[]
): readonly ModelLine[] {
    const marked = new Map<string, ((line: number) => boolean)[]>();
    for (const { conversation, change, path, lines } of marks) {
        const key = JSON.stringify([conversation, change, path]);
        marked.set(key, [...(marked.get(key) ?? []), inRanges(lines)]);
    }
    return origins.flatMap((origin, index) => {
        if (origin?.change.model === undefined) return [];
        const { change, turn } = origin.change;
        const key = JSON.stringify([turn.conversationId, change.id, origin.path]);
        const isMarked = (marked.get(key) ?? []).some((covers) => covers(origin.line));
        return { line: index + 1, origin, isSeen: origin.isShown || isMarked };
    });
}

/** Adjacent lines that one change wrote. */
export function runsOf<Line extends ModelLine>(
    lines: readonly Line[]
): readonly (readonly Line[])[] {
    const runs: Line[][] = [];
    for (const each of lines) {
        const last = runs.at(-1)?.at(-1);
        const isNext = last?.line === each.line - 1 && last.origin.change === each.origin.change;
        if (isNext) runs.at(-1)?.push(each);
        else runs.push([each]);
    }
    return runs;
}

/** Marks for lines, by the change that wrote them. */
export function marksOf(lines: readonly ModelLine[]): readonly SeenMark[] {
    return groupedLines(
        lines.map(({ origin: { change, path, line } }) => {
            const place = { conversation: change.turn.conversationId, change: change.change.id };
            return [{ ...place, path }, line];
        })
    );
}
