import { diff3Merge } from "node-diff3";
import { lineText, linesOf } from "../diff/hunks.js";

/** Three versions of a file: `mine` and `now` were both made from `base`. */
interface ThreeVersions {
    readonly base: Uint8Array;
    readonly mine: Uint8Array;
    readonly now: Uint8Array;
}

/** Lines that differ from the base on both sides. */
interface LineConflict {
    /** 1-based, in `now`. */
    readonly line: number;
    readonly base: readonly string[];
    readonly mine: readonly string[];
    readonly now: readonly string[];
}

/** Merges both sides by lines. Works on bytes, without decoding. */
export function mergeLines(
    { base, mine, now }: ThreeVersions,
    labels = { mine: "mine", now: "now" }
): {
    /** Where the two conflict, both sides between markers named by `labels`. */
    readonly bytes: Uint8Array;
    readonly conflicts: readonly LineConflict[];
} {
    const [theirs, ours] = [linesOf(now), linesOf(mine)];
    const parts = diff3Merge(theirs, linesOf(base), ours, { excludeFalseConflicts: true });
    const conflicts = parts.flatMap(({ conflict }) =>
        conflict
            ? {
                  line: conflict.aIndex + 1,
                  base: conflict.o.map(lineText),
                  mine: conflict.b.map(lineText),
                  now: conflict.a.map(lineText),
              }
            : []
    );
    // Edits of a file with mixed line ends would not keep its CRLF.
    const lineEnd = (theirs[0] ?? ours[0])?.endsWith("\r\n") ? "\r\n" : "\n";
    const ended = (line: string) => (line.endsWith("\n") ? line : line + lineEnd);
    const lines = parts.flatMap(({ ok = [], conflict }) =>
        conflict
            ? [
                  `<<<<<<< ${labels.mine}`,
                  ...conflict.b,
                  "=======",
                  ...conflict.a,
                  `>>>>>>> ${labels.now}`,
              ].map(ended)
            : ok
    );
    return { bytes: Buffer.from(lines.join(""), "latin1"), conflicts };
}
