import { decoded, type ByteText } from "./byte-text.js";
import { escapePattern } from "./exact-matches.js";
import { lineNumberAt } from "./lines.js";
import { firstDifference, type Difference } from "./visible.js";

/** The text is there, but for its white space or its case. */
export interface NearSpelling {
    readonly reason: string;
    /** Where, as an offset. */
    readonly offset: number;
    /** The first line that differs. */
    readonly line: number;
    readonly difference: Difference | undefined;
}

/** Longer texts are compared line by line instead (see near-lines.ts). */
const LONGEST = 4000;

/** The first place where the text stands with other white space or in other case. */
export function findNearSpelling(text: ByteText, wanted: ByteText): NearSpelling | undefined {
    const words = wanted.match(/[\w\u0080-\u00ff]+|[^\w\s\u0080-\u00ff]/g);
    if (words === null || wanted.length > LONGEST) {
        return undefined;
    }
    const pattern = words.map(escapePattern).join("\\s*");
    const found = new RegExp(pattern).exec(text);
    if (found !== null) {
        return describe(text, wanted, found);
    }
    const inOtherCase = new RegExp(pattern, "i").exec(text);
    return inOtherCase === null ? undefined : describe(text, wanted, inOtherCase);
}

function describe(text: ByteText, wanted: ByteText, found: RegExpExecArray): NearSpelling {
    const file = withOuterSpace(text, found, wanted);
    const [yourLines, fileLines] = [wanted.split("\n"), file.split("\n")];
    const index = yourLines.findIndex((line, at) => !isSameLine(line, fileLines[at]));
    const at = index === -1 ? yourLines.length - 1 : index;
    const [yours, theirs] = [decoded(yourLines[at] ?? ""), decoded(fileLines[at] ?? "")];
    return {
        reason:
            yourLines.length === fileLines.length
                ? reasonFor(yours, theirs)
                : "its line breaks are at other places in the file",
        offset: found.index,
        line: lineNumberAt(text, found.index) + at - leadingBreaks(file, found[0]),
        difference: firstDifference(yours, theirs),
    };
}

/** What was found, with the white space around it where the text wanted has some as well. */
function withOuterSpace(text: ByteText, found: RegExpExecArray, wanted: ByteText): ByteText {
    const end = found.index + found[0].length;
    const before = /^\s/.test(wanted)
        ? (/[ \t]*$/.exec(nearBefore(text, found.index))?.[0] ?? "")
        : "";
    const after = /\s$/.test(wanted)
        ? (/^[ \t\r]*\n?/.exec(text.slice(end, end + 500))?.[0] ?? "")
        : "";
    return before + found[0] + after;
}

function nearBefore(text: ByteText, offset: number): ByteText {
    return text.slice(Math.max(0, offset - 500), offset);
}

function leadingBreaks(file: ByteText, found: string): number {
    return file.slice(0, file.indexOf(found)).split("\n").length - 1;
}

function isSameLine(yours: string, file: string | undefined): boolean {
    return yours === file || `${yours}\r` === file;
}

function reasonFor(yours: string, file: string): string {
    const [mine, theirs] = [yours, file].map((line) => /^[ \t]*/.exec(line)?.[0] ?? "");
    if (yours.trim() === file.trim() && mine !== theirs) {
        return `it is indented with ${spaceName(theirs)} in the file, with ${spaceName(mine)} in your text`;
    }
    if (yours.trimEnd() === file.trimEnd()) {
        return yours.length < file.length
            ? "the file has trailing white space there"
            : "your text has trailing white space that the file does not have";
    }
    if (yours.toLowerCase().replace(/\s/g, "") !== file.toLowerCase().replace(/\s/g, "")) {
        return "its white space is different in the file";
    }
    return yours.replace(/\s/g, "") === file.replace(/\s/g, "")
        ? "its white space is different in the file"
        : "upper and lower case are different in the file";
}

function spaceName(space = ""): string {
    if (space === "") {
        return "nothing";
    }
    const kinds = [space.includes("\t") ? "tabs" : "", space.includes(" ") ? "spaces" : ""];
    const name = kinds.filter((kind) => kind !== "").join(" and ");
    return `${space.length} ${space.length === 1 ? name.slice(0, -1) : name}`;
}
