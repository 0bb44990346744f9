import ignore, { type Ignore } from "ignore";
import { NameFilter } from "./name-filter.js";

/** The verdict of one file's patterns on a path; `undefined` if none matches. */
export type Verdict = "ignored" | "included" | undefined;

/** The library remembers each path it was asked about; now and then it has to forget. */
const REMEMBERED_PATHS = 20_000;

/** The patterns of one ignore file, and what they say of a path by itself. */
export class IgnoreLayer {
    private readonly patterns: readonly string[];
    private readonly names: NameFilter;
    private compiled: Ignore | undefined;
    private asked = 0;
    private singles: readonly SinglePattern[] | undefined;

    constructor(
        text: string,
        private readonly ignoreCase: boolean
    ) {
        this.patterns = text
            .replace(/^\uFEFF/, "")
            .split(/\r?\n/)
            .filter((line) => line !== "" && !line.startsWith("#"));
        this.names = new NameFilter(this.patterns, ignoreCase);
    }

    /** Most layers never meet a name that one of their patterns could match. */
    private get matcher(): Ignore {
        this.compiled ??= ignore({ ignoreCase: this.ignoreCase }).add([...this.patterns]);
        return this.compiled;
    }

    /** `false` only if no pattern can match something of this name. */
    mayMatch(name: string): boolean {
        return this.names.mayMatch(name);
    }

    /** `path` is relative to the folder of the ignore file, its parents not being ignored. */
    verdict(path: string, type: "file" | "dir"): Verdict {
        const slash = path.lastIndexOf("/");
        if (!this.names.mayMatch(path.slice(slash + 1))) return undefined;

        this.forgetSometimes();
        const asked = type === "dir" ? `${path}/` : path;
        const result = this.matcher.test(asked);
        if (result.unignored) return "included";

        if (!result.ignored) return undefined;

        // The library also says "ignored" because of a parent. Here the parent was taken back in by
        // another file, so that only patterns for the path itself count.
        const isParentIgnored = slash > 0 && this.matcher.ignores(path.slice(0, slash + 1));
        return isParentIgnored ? this.verdictByItself(asked) : "ignored";
    }

    private verdictByItself(asked: string): Verdict {
        this.singles ??= this.patterns
            .map((pattern) => singlePattern(pattern, this.ignoreCase))
            .reverse();
        return this.singles.find(({ matcher }) => matcher.test(asked).unignored)?.verdict;
    }

    private forgetSometimes(): void {
        if (++this.asked % REMEMBERED_PATHS === 0) {
            this.compiled = undefined;
        }
    }
}

interface SinglePattern {
    readonly verdict: Verdict;
    /** Holds the pattern negated, because a negated one tells of the path and not of its parents. */
    readonly matcher: Ignore;
}

function singlePattern(pattern: string, ignoreCase: boolean): SinglePattern {
    const isNegative = pattern.startsWith("!");
    const matcher = ignore({ ignoreCase }).add(isNegative ? pattern : `!${pattern}`);
    return { verdict: isNegative ? "included" : "ignored", matcher };
}
