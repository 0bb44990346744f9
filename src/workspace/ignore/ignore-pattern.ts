import ignore, { type Ignore } from "ignore";

/** A pattern's verdict on a path; `undefined` if it does not match. */
type Verdict = "ignored" | "included" | undefined;

/** The library caches every path it is asked about; reset it this often. */
const REMEMBERED_PATHS = 5_000;

/** One line of an ignore file. Its last segment tells what a matching name equals or contains. */
export class IgnorePattern {
    /** The exact name, case-folded; `undefined` if only a piece of it is known. */
    readonly name: string | undefined;
    readonly piece: string = "";
    private readonly saysAll: boolean;
    private readonly isForFolders: boolean;
    private matcher: Ignore | undefined;
    private asked = 0;

    constructor(
        private readonly line: string,
        private readonly ignoreCase: boolean
    ) {
        const body = this.fold(line.replace(/^!/, "").replace(/(?<! ) +$/, ""));
        const parts = body.replace(/\/$/, "").split("/");
        const last = parts.at(-1) ?? "";
        this.isForFolders = body.endsWith("/");
        if (!/[*?[\\]/.test(last)) {
            this.name = last;
        } else if (!last.includes("\\")) {
            // Text after a bracket may be inside the bracket expression.
            const [plain = ""] = last.split("[");
            const pieces = plain.split(/[*?]/);
            this.piece = pieces.reduce((best, each) => (each.length > best.length ? each : best));
        }
        this.saysAll = this.name !== undefined && parts.length === 1;
    }

    fold(name: string): string {
        return this.ignoreCase ? name.toLowerCase() : name;
    }

    /**
     * Returns the verdict on `path`, whose last segment is `name`. A pattern that matches a folder
     * has no verdict on its contents.
     */
    verdict(path: string, name: string, type: "file" | "dir"): Verdict {
        const folded = this.fold(name);
        if (this.name === undefined ? !folded.includes(this.piece) : folded !== this.name) {
            return undefined;
        }
        const isMatch = this.saysAll
            ? type === "dir" || !this.isForFolders
            : this.matches(type === "dir" ? `${path}/` : path);
        if (!isMatch) return undefined;
        return this.line.startsWith("!") ? "included" : "ignored";
    }

    /** Negated: only then does the library report whether the path itself matches. */
    private matches(asked: string): boolean {
        if (this.asked++ % REMEMBERED_PATHS === 0) this.matcher = undefined;
        this.matcher ??= ignore({ ignoreCase: this.ignoreCase }).add(
            this.line.startsWith("!") ? this.line : `!${this.line}`
        );
        return this.matcher.test(asked).unignored;
    }
}

/** The patterns of one ignore file, and their verdict on a path regardless of its parents. */
export class IgnoreLayer {
    private readonly names = new Set<string>();
    private readonly pieces: readonly string[];
    private readonly lastFirst: readonly IgnorePattern[];

    constructor(patterns: readonly IgnorePattern[]) {
        for (const { name } of patterns) if (name !== undefined) this.names.add(name);
        this.pieces = patterns.flatMap(({ name, piece }) => (name === undefined ? [piece] : []));
        this.lastFirst = patterns.toReversed();
    }

    /** `false` only if no pattern can match this name, as for nearly every file in a walk. */
    mayMatch(name: string): boolean {
        const folded = this.lastFirst[0]?.fold(name) ?? name;
        if (this.names.has(folded)) return true;
        for (const piece of this.pieces) if (folded.includes(piece)) return true;
        return false;
    }

    /** `path` is relative to the ignore file's folder; none of its parents is ignored. */
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
