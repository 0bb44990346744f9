import type { LineSection } from "../../../code/text/line-window.js";
import { counted } from "../../../base/format.js";
import type { ReadFileData } from "../read-file.js";

/** A line of facts and the text itself; other parts of the file below their line numbers. */
export function renderReading(data: ReadFileData): string {
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
