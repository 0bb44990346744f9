import { diff3Merge } from "node-diff3";
import { linesOf } from "../diff/hunks.js";

/** Lines that a turn wrote and that have changed since. */
export interface MergeConflict {
    /** 1-based, in the current file. */
    readonly line: number;
    readonly now: readonly string[];
    readonly written: readonly string[];
    readonly before: readonly string[];
}

type Merged =
    | { readonly kind: "merged"; readonly bytes: Uint8Array }
    | { readonly kind: "conflicts"; readonly conflicts: readonly MergeConflict[] };

/** Reverts one earlier change of a file and keeps later ones. Works on bytes, without decoding. */
export function withoutChange(
    now: Uint8Array,
    change: { readonly before: Uint8Array; readonly after: Uint8Array }
): Merged {
    const parts = diff3Merge(linesOf(now), linesOf(change.after), linesOf(change.before), {
        excludeFalseConflicts: true,
    });
    const conflicts = parts.flatMap(({ conflict }) =>
        conflict
            ? {
                  line: conflict.aIndex + 1,
                  now: conflict.a.map(decoded),
                  written: conflict.o.map(decoded),
                  before: conflict.b.map(decoded),
              }
            : []
    );
    if (conflicts.length > 0) return { kind: "conflicts", conflicts };
    const text = parts.flatMap(({ ok = [] }) => ok).join("");
    return { kind: "merged", bytes: Buffer.from(text, "latin1") };
}

function decoded(line: string): string {
    return Buffer.from(line, "latin1")
        .toString("utf8")
        .replace(/\r?\n$/, "");
}
