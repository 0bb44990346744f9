import { isBinary } from "../../base/binary.js";
import type { DropConflict, FileChange } from "../../plugin/index.js";

type Side = "base" | "mine" | "now";

interface MergeNames {
    /** The sides to show of a conflict, by their names for the user. */
    readonly shown: Readonly<Record<string, Side>>;
    readonly markers?: { readonly mine: string; readonly now: string };
}

/**
 * Merges by lines what was changed on both sides. `bytes` have conflicts between markers; absent
 * if the file is not text.
 */
export async function mergeText(
    { path, type, typeBefore }: Pick<FileChange, "path" | "type" | "typeBefore">,
    versions: Readonly<Record<Side, Uint8Array>>,
    { shown, markers }: MergeNames
): Promise<{ readonly bytes?: Uint8Array; readonly conflicts: readonly DropConflict[] }> {
    const isFile = type === undefined && typeBefore === undefined;
    if (!isFile || Object.values(versions).some(isBinary)) {
        return { conflicts: [{ path, text: `${path} is not text and was changed since.` }] };
    }
    const { mergeLines } = await import("../../core/history/merge-lines.js");
    const { bytes, conflicts } = mergeLines(versions, markers);
    const width = Math.max(...Object.keys(shown).map((name) => name.length)) + 2;
    const textOf = (conflict: (typeof conflicts)[number]) => {
        const rows = Object.entries(shown).flatMap(([name, side]) =>
            sideRows(name.padEnd(width), conflict[side])
        );
        return [`${path}:${conflict.line}`, ...rows].join("\n");
    };
    return {
        bytes,
        conflicts: conflicts.map((each) => ({ path, line: each.line, text: textOf(each) })),
    };
}

const SHOWN = 10;

function sideRows(label: string, lines: readonly string[]): string[] {
    const rows = lines.length === 0 ? ["(nothing)"] : lines.slice(0, SHOWN);
    const more = lines.length > SHOWN ? [`(${lines.length - SHOWN} more)`] : [];
    const blank = " ".repeat(label.length);
    return [...rows, ...more].map((row, index) => `  ${index === 0 ? label : blank}${row}`);
}
