import { counted } from "../../../base/format.js";
import type { ToolFailure } from "../../../plugin/index.js";
import { failure } from "../results.js";
import { encoded, type ByteText } from "./byte-text.js";
import type { EditableText } from "./edit-tool.js";
import { lineAt, lineNumberAt, type LineSpan } from "./lines.js";
import { missFailure } from "./miss-failure.js";
import { MAX_PLACES, placeAt } from "./places.js";

export interface AnchorLine extends LineSpan {
    readonly ok: true;
    /** Just after the anchor's first occurrence in the line. */
    readonly matchEnd: number;
}

/** Finds an anchor's line: the only one that contains it, or the given occurrence. */
export function findAnchor(
    text: EditableText,
    anchor: string,
    occurrence?: number
): AnchorLine | ToolFailure {
    const invalid = invalidAnchor(anchor);
    if (invalid !== undefined) return invalid;

    const { count, first, chosen } = linesWith(text.body, encoded(anchor), occurrence);
    if (count === 0) return missFailure(text, anchor, "anchor");

    if (count > 1 && text.isChangedSinceRead) {
        const why = `the anchor is on ${count} lines and may now mean another one`;
        return changedSinceRead(text, why);
    }

    if (chosen !== undefined && (count === 1 || occurrence !== undefined)) {
        return { ok: true, ...chosen };
    }

    const message =
        occurrence === undefined
            ? `${count} lines of ${text.path} contain the anchor.`
            : `There is no occurrence ${occurrence}: ${text.path} contains the anchor on ${counted(count, "line")}.`;
    return failure(
        "ambiguous-anchor",
        message,
        "Give `occurrence`, or a longer anchor.",
        first.map((line, index) => placeAt(text.body, line.match, index + 1))
    );
}

/** Finds the first line with the end anchor after the start anchor; may be the same line. */
export function findEndAnchor(
    text: EditableText,
    start: AnchorLine,
    anchors: { readonly anchor: string; readonly anchorEnd: string }
): AnchorLine | ToolFailure {
    const { anchor, anchorEnd } = anchors;
    const invalid = invalidAnchor(anchorEnd);
    if (invalid !== undefined) return invalid;

    // Identical anchors, like the two lines of a fence, are never on one line.
    const from = anchorEnd === anchor ? start.next : start.matchEnd;
    const rest = text.body.slice(from);
    const { count, chosen } = linesWith(rest, encoded(anchorEnd));
    if (chosen === undefined) return missingEnd(text, start, anchorEnd);

    if (count > 1 && text.isChangedSinceRead) {
        return changedSinceRead(text, `the end anchor is on ${count} lines below the first`);
    }

    const matchEnd = from + chosen.matchEnd;
    return { ok: true, ...lineAt(text.body, matchEnd - 1), matchEnd };
}

/** Returns the failure for a change by someone else that makes the place ambiguous. */
export function changedSinceRead({ path }: { path: string }, why: string): ToolFailure {
    return failure(
        "changed-since-read",
        `${path} was changed outside North since you last read or edited it: ${why}.`,
        "Read the file again, or give exact text or an anchor that occurs only once."
    );
}

interface MatchedLine extends LineSpan {
    readonly match: number;
    readonly matchEnd: number;
}

function linesWith(
    body: ByteText,
    anchor: ByteText,
    occurrence = 1
): { count: number; first: MatchedLine[]; chosen: MatchedLine | undefined } {
    const first: MatchedLine[] = [];
    let count = 0;
    let chosen: MatchedLine | undefined;
    for (let at = body.indexOf(anchor); at !== -1;) {
        const line = { ...lineAt(body, at), match: at, matchEnd: at + anchor.length };
        count += 1;
        if (count <= MAX_PLACES) first.push(line);

        if (count === occurrence) chosen = line;

        at = line.next === body.length ? -1 : body.indexOf(anchor, line.next);
    }
    return { count, first, chosen };
}

function invalidAnchor(anchor: string): ToolFailure | undefined {
    if (!/[\r\n]/.test(anchor)) return undefined;
    return failure(
        "invalid-anchor",
        "An anchor must be text within one line.",
        "Give part of one line; use edit_replace_exact for text of several lines."
    );
}

function missingEnd(text: EditableText, start: AnchorLine, anchorEnd: string): ToolFailure {
    const { chosen } = linesWith(text.body, encoded(anchorEnd));
    if (chosen === undefined) return missFailure(text, anchorEnd, "end anchor");
    const [startLine, endLine] = [start, chosen].map((line) => lineNumberAt(text.body, line.start));
    return failure(
        "anchor-not-found",
        `The end anchor is not after the first anchor (line ${startLine}) of ${text.path}; it is on line ${endLine}.`,
        "The end must come after the first anchor: choose another anchor or occurrence."
    );
}
