/** What git tracks: it is not ignored, whatever the patterns say. */
export class TrackedFiles {
    private sorted: readonly string[] | undefined;

    /** `listing` is the output of `git ls-files -z`. It is taken apart when first needed. */
    constructor(private readonly listing: Buffer) {}

    /** Whether another output says the same. */
    isSame(listing: Buffer): boolean {
        return this.listing.equals(listing);
    }

    /** Whether git tracks this file, or anything below this folder. */
    covers(path: string, type: "file" | "dir"): boolean {
        const paths = this.paths();
        const found = paths[firstNotBefore(paths, path)];
        if (found === path) return true;

        const below = `${path}/`;
        return type === "dir" && (paths[firstNotBefore(paths, below)]?.startsWith(below) ?? false);
    }

    private paths(): readonly string[] {
        this.sorted ??= this.listing.toString("utf8").split("\0").slice(0, -1).sort();
        return this.sorted;
    }
}

/** Where nothing is tracked, or nobody can tell. */
export const NOTHING_TRACKED = new TrackedFiles(Buffer.alloc(0));

function firstNotBefore(sorted: readonly string[], path: string): number {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if ((sorted[middle] ?? "") < path) low = middle + 1;
        else high = middle;
    }
    return low;
}
