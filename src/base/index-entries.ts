import { sha256 } from "./sha256.js";

/** What lists an index for `indexEntries`. */
export const LIST_INDEX = ["ls-files", "-s", "-v", "-z"] as const;

/** An entry of git's index; names are bytes, one character each. */
export interface IndexEntry {
    /** `H`, or `M` if it is unmerged; others mark entries that git ignores in part. */
    readonly tag: string;
    /** In octal: `100644` */
    readonly mode: string;
    readonly id: string;
    readonly stage: string;
    readonly path: string;
}

export function indexEntries(listing: string): readonly IndexEntry[] {
    return listing.split("\0").flatMap((line) => {
        const match = /^(\S) (\d+) ([0-9a-f]+) ([0-3])\t(.*)$/s.exec(line);
        if (!match) return [];
        const [, tag = "", mode = "", id = "", stage = "", path = ""] = match;
        return [{ tag, mode, id, stage, path }];
    });
}

/** Identifies the entries of an index, whatever git noted about their files. */
export function indexVersion(listing: string): string {
    return sha256(Buffer.from(listing, "latin1"));
}
