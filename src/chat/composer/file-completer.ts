import type { Completer, Completions } from "./completion.js";

/** Files and folders with lowercase names, computed once for many searches. */
type FileIndex = readonly { readonly path: string; readonly lower: string }[];

/** Worst match rank; 0 is best. Within a rank, files precede folders. */
const WORST = 6;

const MAX_CHOICES = 10;
/** Max length of a path. */
const LOOK_BACK = 300;
const WORD = /(?<=^|[\s([{])@(?:"([^"\n]*)|([^\s"'@]*))$/;

/** The project's files, listed in the background and refreshed when stale. */
export class FileCompleter {
    private index: FileIndex | undefined;
    private listing: Promise<void> | undefined;
    private isStale = true;

    constructor(private readonly list: () => Promise<readonly string[]>) {}

    expire(): void {
        this.isStale = true;
    }

    /** Refreshes a stale list; resolves once there is any list. Never rejects. */
    async load(): Promise<void> {
        if (!this.listing && this.isStale) {
            this.isStale = false;
            this.listing = this.list()
                .then((paths) => void (this.index = indexFiles(paths)))
                // No completions without a list; the next `@` retries.
                .catch(() => this.expire())
                .finally(() => (this.listing = undefined));
        }
        if (!this.index) await this.listing;
    }

    /** Completes `@path`, from the stale list during a refresh. */
    readonly complete: Completer = (text, cursor) => {
        const before = text.slice(Math.max(0, cursor - LOOK_BACK), cursor);
        const [word, quoted, plain = ""] = WORD.exec(before) ?? [];
        if (word === undefined) return undefined;
        const place = { from: cursor - word.length, to: cursor };
        const typed = quoted ?? plain;
        const loaded = this.load();
        if (this.index) return this.completions(place, typed);
        return loaded.then(() => this.completions(place, typed));
    };

    private completions(place: Pick<Completions, "from" | "to">, typed: string): Completions {
        const paths = matchFiles(this.index ?? [], typed, MAX_CHOICES);
        const choices = paths.map((path) => ({
            value: /[\s"']/.test(path) ? `@"${path}"` : `@${path}`,
        }));
        // Enter must not turn a mistyped name into another file.
        const takesEnter = paths[0]?.toLowerCase().includes(typed.toLowerCase()) ?? false;
        return { ...place, choices, takesEnter };
    }
}

/** Indexes paths and their parent folders for `matchFiles`. */
export function indexFiles(paths: readonly string[]): FileIndex {
    const folders = new Set<string>();
    for (const path of paths) {
        let folder = folderOf(path);
        while (folder !== "" && !folders.has(folder)) {
            folders.add(folder);
            folder = folderOf(folder);
        }
    }
    return [...paths, ...folders].map((path) => ({ path, lower: path.toLowerCase() }));
}

function folderOf(path: string): string {
    return path.slice(0, path.lastIndexOf("/", path.length - 2) + 1);
}

/**
 * Best match first: exact name, prefix, substring, letters scattered over the file's name, or parts
 * of its path, of which some are left out; shorter paths first.
 */
export function matchFiles(files: FileIndex, typed: string, limit: number): readonly string[] {
    const wanted = typed.toLowerCase();
    const ranks: string[][] = Array.from({ length: 2 * (WORST + 1) }, () => []);
    let found = 0;
    for (const { path, lower } of files) {
        const rank = directRank(lower, wanted);
        if (rank === undefined) continue;
        ranks[2 * rank + (path.endsWith("/") ? 1 : 0)]?.push(path);
        found += 1;
    }
    // Subsequence search is the most expensive; run it only if the others found too few.
    if (found < limit) ranks[2 * WORST] = scattered(files, wanted);
    const best: string[] = [];
    for (const paths of ranks) {
        if (best.length >= limit) break;
        best.push(...smallest(paths, limit - best.length));
    }
    return best;
}

function directRank(lower: string, wanted: string): number | undefined {
    const at = lower.lastIndexOf(wanted);
    if (at < 0) return undefined;
    const name = folderOf(lower).length;
    if (lower === wanted) return 0;
    if (at >= name) {
        if (lower.length - name === wanted.length) return 1;
        return lower.startsWith(wanted, name) ? 2 : 4;
    }
    return lower.startsWith(wanted) ? 3 : 5;
}

function scattered(files: FileIndex, wanted: string): string[] {
    const isPath = wanted.includes("/");
    const parts = isPath ? wanted.split(/(\/)/) : [...wanted];
    return files
        .filter(
            ({ lower }) =>
                !lower.endsWith("/") &&
                !lower.includes(wanted) &&
                hasInOrder(isPath ? lower : lower.slice(folderOf(lower).length), parts)
        )
        .map(({ path }) => path);
}

function hasInOrder(text: string, parts: readonly string[]): boolean {
    let at = 0;
    for (const part of parts) {
        at = text.indexOf(part, at) + 1;
        if (at === 0) return false;
    }
    return true;
}

// Keeps the ten best of possibly 100,000 paths: cheaper than sorting all.
function smallest(paths: readonly string[], amount: number): string[] {
    const kept: string[] = [];
    for (const path of paths) {
        const last = kept[amount - 1];
        if (last !== undefined && !isBefore(path, last)) continue;
        const index = kept.findIndex((other) => isBefore(path, other));
        kept.splice(index < 0 ? kept.length : index, 0, path);
        if (kept.length > amount) kept.pop();
    }
    return kept;
}

function isBefore(path: string, other: string): boolean {
    return path.length === other.length ? path < other : path.length < other.length;
}
