import type { LineSection } from "../../../code/text/line-window.js";
import { counted } from "../../../base/format.js";

export interface ReadFileData extends LineSection {
    readonly path: string;
    readonly totalLines: number;
    /** Set for an image or PDF: it has no lines and is attached after the data. */
    readonly mediaType?: string;
    readonly sizeBytes?: number;
    /** Whether `content` lacks part of what was requested. */
    readonly truncated: boolean;
    readonly ignored?: true;
    /** The file's first lines, unless `content` has them. */
    readonly head?: LineSection;
    /** The file's last lines, unless `content` has them. */
    readonly tail?: LineSection;
    readonly imports?: LineSection;
    /** The first line with `aroundMatch`, and the number of matching lines. */
    readonly matchLine?: number;
    readonly matchCount?: number;
    /** For a long file read in full: names in what a digest omits, `function run 210-240`. */
    readonly names?: readonly string[];
    readonly note?: string;
}

/** Renders a line of facts and the text, then other parts of the file under their line numbers. */
export function renderReading(data: ReadFileData): string {
    const { mediaType, sizeBytes = 0 } = data;
    if (mediaType !== undefined) {
        return `${data.path} (${mediaType}, ${Math.ceil(sizeBytes / 1024)} KB)`;
    }
    const { path, startLine, endLine, totalLines, content, head, imports, tail, names } = data;
    const isAll = startLine === 1 && endLine === totalLines;
    const location = isAll
        ? `${path} (${counted(totalLines, "line")})`
        : `${path} lines ${startLine}-${endLine} of ${totalLines}`;
    const { matchLine, matchCount } = data;
    const match =
        matchLine === undefined
            ? ""
            : `, first of ${counted(matchCount ?? 1, "match", "matches")} at ${matchLine}`;
    const above = [head, imports].filter((section) => section !== undefined);
    return [
        location + match + (data.ignored ? ", ignored by the repository" : ""),
        ...(data.note === undefined ? [] : [`[${data.note}]`]),
        ...above.flatMap(sectionLines),
        ...(above.length === 0 ? [content] : sectionLines(data)),
        ...(names === undefined ? [] : ["[left out below]", ...names]),
        ...(tail === undefined ? [] : sectionLines(tail)),
    ].join("\n");
}

function sectionLines({ startLine, endLine, content }: LineSection): readonly string[] {
    return [`[lines ${startLine}-${endLine}]`, content];
}
