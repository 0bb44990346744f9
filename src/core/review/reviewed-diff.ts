import { parsePatch, type StructuredPatch } from "diff";
import { NorthError } from "../../base/north-error.js";
import { showControls } from "../../base/safe-text.js";
import { rangesOf } from "../history/line-ranges.js";

interface ReviewedFile {
    readonly path: string;
    /** What the model reads: each line of the new version with its number. */
    readonly text: string;
    /** The new version's lines that the diff shows, by number. */
    readonly lines: ReadonlyMap<number, string>;
}

export class ReviewedDiff {
    readonly files: readonly ReviewedFile[];

    /** Throws `not-a-patch`. `isKept` leaves files out. */
    constructor(patch: string, isKept: (path: string) => boolean = () => true) {
        this.files = patchesIn(patch)
            .map(reviewedFile)
            .filter(({ path }) => isKept(path));
    }

    /** The diff, up to about so many characters; files that do not fit are named. */
    text(maxCharacters: number): string {
        let room = maxCharacters;
        const parts = this.files.map(({ path, text }) => {
            room -= text.length;
            return room >= 0 ? text : `File ${showControls(path)}: too long to show; read it.`;
        });
        return parts.join("\n\n");
    }

    /** Lines `first` to `last` of the new version; `undefined` unless the diff shows them all. */
    linesOf(path: string, first: number, last: number): readonly string[] | undefined {
        const lines = this.files.find((file) => file.path === path)?.lines;
        const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
        const found = numbers.map((number) => lines?.get(number));
        const shown = found.filter((line) => line !== undefined);
        return found.length > 0 && shown.length === found.length ? shown : undefined;
    }

    /** Where a file has lines, for a model that named others: `3-9, 20-31`. */
    rangesOf(path: string): string | undefined {
        const file = this.files.find((each) => each.path === path);
        return file && rangesOf(file.lines.keys()).replaceAll(",", ", ");
    }
}

function patchesIn(patch: string): readonly StructuredPatch[] {
    const refused = new NorthError("not-a-patch", "This is not a patch that North can read.", [
        "Pass a unified diff: `git diff | north review -`.",
    ]);
    if (patch.trim() === "") return [];
    let patches: readonly StructuredPatch[];
    try {
        patches = parsePatch(patch);
    } catch {
        throw refused;
    }
    const named = patches.filter((each) => each.newFileName !== undefined);
    if (named.length === 0) throw refused;
    return named;
}

function reviewedFile(patch: StructuredPatch): ReviewedFile {
    const path = pathOf(patch);
    const lines = new Map<number, string>();
    const rows: string[] = [];
    for (const hunk of patch.hunks) {
        let number = hunk.newStart;
        rows.push("  ...");
        for (const row of hunk.lines) {
            const sign = row.charAt(0);
            const line = row.slice(1).replace(/\r$/, "");
            if (sign === "\\") continue;
            const isGone = sign === "-";
            if (!isGone) lines.set(number, line);
            rows.push(`${(isGone ? "" : String(number)).padStart(5)} ${sign} ${line}`);
            if (!isGone) number += 1;
        }
    }
    // Hidden and reordering characters are part of what is reviewed.
    const text = showControls([`File ${path}${kindOf(patch)}`, ...rows].join("\n"));
    return { path, text, lines };
}

function pathOf({ oldFileName = "", newFileName = "" }: StructuredPatch): string {
    const isGone = newFileName === "/dev/null";
    const name = isGone ? oldFileName : newFileName;
    const hasPrefixes =
        /^(?:a\/|\/dev\/null$)/.test(oldFileName) && /^(?:b\/|\/dev\/null$)/.test(newFileName);
    return hasPrefixes ? name.slice(2) : name;
}

function kindOf({ newFileName, oldFileName, isBinary }: StructuredPatch): string {
    if (isBinary) return " (binary)";
    if (newFileName === "/dev/null") return " (deleted)";
    return oldFileName === "/dev/null" ? " (new)" : "";
}
