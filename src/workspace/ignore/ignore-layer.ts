import type { IgnorePattern, Verdict } from "./ignore-pattern.js";

/** The patterns of one ignore file, and what they say of a path by itself. */
export class IgnoreLayer {
    private readonly names = new Set<string>();
    private readonly pieces: readonly string[];
    private readonly lastFirst: readonly IgnorePattern[];

    constructor(patterns: readonly IgnorePattern[]) {
        for (const { name } of patterns) if (name !== undefined) this.names.add(name);
        this.pieces = patterns.flatMap(({ name, piece }) => (name === undefined ? [piece] : []));
        this.lastFirst = patterns.toReversed();
    }

    /** `false` only if no pattern can match something of this name: of nearly every file of a walk. */
    mayMatch(name: string): boolean {
        const folded = this.lastFirst[0]?.fold(name) ?? name;
        if (this.names.has(folded)) return true;
        for (const piece of this.pieces) if (folded.includes(piece)) return true;
        return false;
    }

    /** `path` is relative to the folder of the ignore file, its parents not being ignored. */
    verdict(path: string, type: "file" | "dir"): Verdict {
        const name = path.slice(path.lastIndexOf("/") + 1);
        if (!this.mayMatch(name)) return undefined;
        for (const pattern of this.lastFirst) {
            const verdict = pattern.verdict(path, name, type);
            if (verdict !== undefined) return verdict;
        }
        return undefined;
    }
}
