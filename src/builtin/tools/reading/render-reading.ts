import type { LineSection } from "../../../code/text/line-window.js";
import { counted } from "../../../base/format.js";

export interface ReadFileData extends LineSection {
    readonly path: string;
    readonly totalLines: number;
    /** An image or a PDF: it has no lines, and follows the data. */
    readonly mediaType?: string;
    readonly sizeBytes?: number;
    /** Not everything that was asked for is in `content`. */
    readonly truncated: boolean;
    readonly ignored?: true;
    /** The file's first lines, where `content` does not hold them. */
    readonly head?: LineSection;
    /** The file's last lines, where `content` does not hold them. */
    readonly tail?: LineSection;
    readonly imports?: LineSection;
    /** Where `aroundMatch` was found first, and in how many lines. */
    readonly matchLine?: number;
    readonly matchCount?: number;
    /** Of a long file that was read whole: what a digest leaves out, `function run 210-240`. */
    readonly names?: readonly string[];
    readonly note?: string;
}

/** A line of facts and the text itself; other parts of the file below their line numbers. */
export function renderReading(data: ReadFileData): string {
    const { mediaType, sizeBytes = 0 } = data;
    if (mediaType !== undefined) {
        return `${data.path} (${mediaType}, ${Math.ceil(sizeBytes / 1024)} KB)`;
    }
    const { path, startLine, endLine, totalLines, content, head, imports, tail, names } = data;
    const isAll = startLine === 1 && endLine === totalLines;
    const place = isAll
        ? `${path} (${counted(totalLines, "line")})`
        : `${path} lines ${startLine}-${endLine} of ${totalLines}`;
    const { matchLine, matchCount } = data;
    const match =
        matchLine === undefined
            ? ""
            : `, first of ${counted(matchCount ?? 1, "match", false, "matches")} at ${matchLine}`;
    const above = [head, imports].filter((section) => section !== undefined);
    return [
        place + match + (data.ignored ? ", ignored by the repository" : ""),
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
