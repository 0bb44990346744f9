import { isUtf8 } from "node:buffer";
import type { ToolFailure } from "../../../plugin/index.js";
import { failure } from "../results.js";
import { encoded, type ByteText } from "./byte-text.js";
import { findClosestLines } from "./closest-lines.js";
import type { EditableText } from "./edit-tool.js";
import { countLines } from "./lines.js";
import { findMisreading } from "./misread-text.js";
import { findNearLines } from "./near-lines.js";
import type { NearMiss } from "./near-miss.js";
import { findNearSpelling } from "./near-spelling.js";

type MissingText = "text" | "anchor" | "end anchor";

/**
 * Builds the failure for text that is not in the file: what is similar, where it differs, and what
 * to do next. Never treats similar text as a match.
 */
export function missFailure(text: EditableText, sought: string, kind: MissingText): ToolFailure {
    const near = findNear(text.body, encoded(sought));
    const reason = near?.reason ?? otherReason(text.body, sought);
    const changed = text.isChangedSinceRead
        ? " The file was changed outside North since you last read it."
        : "";
    return failure(
        kind === "text" ? "text-not-found" : "anchor-not-found",
        `The ${kind} is not in ${text.path}: ${reason}.${changed}`,
        nextStep(text.body, near?.line, kind),
        near?.places
    );
}

function findNear(body: ByteText, wanted: ByteText): NearMiss | undefined {
    const near = findMisreading(body, wanted) ?? findNearSpelling(body, wanted);
    if (near !== undefined) return near;
    const fileLines = body.split("\n");
    return findNearLines(fileLines, wanted) ?? findClosestLines(fileLines, wanted);
}

function otherReason(body: ByteText, sought: string): string {
    const isAscii = !/[^\0-\x7f]/.test(sought);
    if (!isAscii && !isUtf8(Buffer.from(body, "latin1"))) {
        return "the file is not UTF-8, so only ASCII text can be found in it";
    }
    return body === "" ? "the file is empty" : "nothing in it is similar";
}

function nextStep(body: ByteText, line: number | undefined, kind: MissingText): string {
    if (line === undefined) {
        return "Look for the right file and text with search_text, and read it before you edit.";
    }
    const range = `${Math.max(1, line - 5)}-${Math.min(countLines(body), line + 15)}`;
    return kind === "text"
        ? `Read lines ${range} with read_file (range) and copy the text exactly, or use an anchor.`
        : `Read lines ${range} with read_file (range) and copy the anchor exactly.`;
}
