import * as Type from "typebox";
import { counted } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";

/** Lines `start` to `end`, 1-based and inclusive; empty if `end` is `start - 1`. */
export interface LineRange {
    readonly start: number;
    readonly end: number;
}

export const lineRangeSchema = Type.Object(
    { start: Type.Integer({ minimum: 1 }), end: Type.Integer({ minimum: 1 }) },
    { additionalProperties: false, description: "1-based, inclusive" }
);

/** The part of the range that exists. Throws `invalid-range` if there is none. */
export function fitRange(range: LineRange, totalLines: number, what: string): LineRange {
    if (range.end < range.start) {
        throw new NorthError(
            "invalid-range",
            `The range ${range.start}-${range.end} ends before it begins.`
        );
    }
    if (range.start > totalLines) {
        throw new NorthError(
            "invalid-range",
            `The range begins at line ${range.start}, but ${what} has ${counted(totalLines, "line")}.`,
            totalLines === 0 ? [] : [`Ask for lines between 1 and ${totalLines}.`]
        );
    }
    return { start: range.start, end: Math.min(range.end, totalLines) };
}
