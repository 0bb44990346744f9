import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { isAbsolute } from "node:path";
import { ALWAYS_IGNORED_FOLDERS } from "../ignore/always-ignored.js";
import { absoluteSearchPath } from "../../base/search-path.js";
import { tooSlow } from "../../base/pacer.js";
import { withTimeLimit } from "../../base/waiting.js";
import {
    isInRange,
    type FoundLine,
    type FoundLines,
    type LineSearch,
    type SearchBounds,
} from "./line-search.js";

export interface RipgrepTree {
    /** Relative to the root; `""` searches everything. */
    readonly folder: string;
    /** Ignored paths; folders end with `/`. Absent in an ignored folder, which is searched whole. */
    readonly ignored?: readonly string[];
    readonly isAllowed: (path: string) => boolean;
    /** An absolute folder with more files to search, whose names in `files` are absolute, too. */
    readonly copies?: string;
}

const LINE_END = Number.MAX_SAFE_INTEGER;

const FIXED_ARGUMENTS = [
    "--no-config",
    // Ignored paths come from North's own list, because ripgrep's ignore rules differ from git's.
    "--no-ignore",
    "--hidden",
    "--no-follow",
    "--no-messages",
    "--no-mmap",
    "--color=never",
    "--case-sensitive",
    "--null",
    "--with-filename",
];

/** Far below the system limit for all arguments. */
const MAX_EXCLUSION_CHARACTERS = 60_000;

/**
 * Finds matching lines with ripgrep. Returns `undefined` if it cannot run or does not understand
 * the pattern. Rejects with `timeout` or the signal's reason.
 *
 * For a tree, first counts matches per file, then locates them in the first files only, so that the
 * total is always known.
 */
export async function searchWithRipgrep(
    search: LineSearch,
    bounds: SearchBounds,
    tree?: RipgrepTree
): Promise<FoundLines | undefined> {
    const program = await ripgrepProgram();
    if (program === undefined) return undefined;
    const ripgrep = new Ripgrep(program, search, bounds);
    if (tree === undefined) return ripgrep.searchOpenFile();
    const counts = await ripgrep.countLines(tree);
    if (counts === undefined) return undefined;
    // The exclusions are incomplete; few files match, so checking each is cheap.
    const matching = search.files.filter((file) => counts.has(file) && tree.isAllowed(file));
    const files: string[] = [];
    let total = 0;
    for (const file of matching) {
        if (total < search.limit) files.push(isAbsolute(file) ? file : `./${file}`);
        total += counts.get(file) ?? 0;
    }
    const named = files.length === 0 ? { found: [] } : await ripgrep.nameLines(files);
    return named && { found: named.found, total };
}

class Ripgrep {
    private readonly pattern: readonly string[];

    constructor(
        private readonly program: string,
        private readonly search: LineSearch,
        private readonly bounds: SearchBounds
    ) {
        const syntax = search.isRegex ? "--crlf" : "--fixed-strings";
        this.pattern = [...FIXED_ARGUMENTS, syntax, "-e", search.query];
    }

    /** Beyond the limit only counts: locating every line of a common word takes longer. */
    async searchOpenFile(): Promise<FoundLines | undefined> {
        const { lineRange, limit } = this.search;
        if (lineRange !== undefined || process.platform !== "linux") return this.nameLines(["-"]);
        const named = await this.nameLines(["-"], [`--max-count=${limit}`]);
        if (named === undefined || named.total < limit) return named;
        let total = 0;
        const rest = await this.run(["--count", "-"], (_path, count) => (total = Number(count)));
        return rest && { found: named.found, total };
    }

    /** Counts matching lines per file; may include ignored files. */
    async countLines(tree: RipgrepTree): Promise<ReadonlyMap<string, number> | undefined> {
        const counts = new Map<string, number>();
        const folder = tree.folder === "" ? "./" : `./${tree.folder}`;
        const places = [folder, ...(tree.copies === undefined ? [] : [tree.copies])];
        const excluded = tree.ignored ? exclusions(tree.ignored) : [];
        const commandLine = [...excluded, "--count", "--", ...places];
        const rest = await this.run(commandLine, (path, count) => counts.set(path, Number(count)));
        return rest && counts;
    }

    async nameLines(
        files: readonly string[],
        bounds: readonly string[] = []
    ): Promise<FoundLines | undefined> {
        const { search } = this;
        const isOneFile = search.descriptor !== undefined;
        const byFile = new Map<string, FoundLine[]>();
        let total = 0;
        const commandLine = [
            "--line-number",
            "--column",
            "--byte-offset",
            // Lines are read later: they can be of any length.
            "--max-columns=1",
            ...(isOneFile ? bounds : [`--max-count=${search.limit}`]),
            "--",
            ...files,
        ];
        const rest = await this.run(commandLine, (printed, location) => {
            const path = isOneFile ? (search.files[0] ?? "") : printed;
            const [, number, column, offset] = /^(\d+):(?:(\d+):)?(\d+):/.exec(location) ?? [];
            const line = Number(number);
            if (!isInRange(line, search)) return;
            total += 1;
            const lines = byFile.get(path) ?? [];
            if (lines.length < search.limit) {
                // An empty match at the end of a file without a final newline has no column.
                const start = column === undefined ? LINE_END : Number(column) - 1;
                lines.push({ path, line, offset: Number(offset), start });
            }
            byFile.set(path, lines);
        });
        if (rest === undefined) return undefined;
        // The only output that is not a record is the binary file notice.
        if (isOneFile && rest.length > 0) return { found: [], total: 0 };
        const found = search.files.flatMap((file) => byFile.get(file) ?? []);
        return { found: found.slice(0, search.limit), total };
    }

    /**
     * Parses output lines of the form `./path NUL text LF`. Returns the unparsed rest; `undefined`
     * if ripgrep printed an error.
     */
    private async run(
        commandLine: readonly string[],
        onRecord: (path: string, text: string) => void
    ): Promise<Buffer | undefined> {
        const { search, program, pattern } = this;
        const { limitMs, signal } = this.bounds;
        const searching = async (ended: AbortSignal) => {
            ended.throwIfAborted();
            const input = openAgain(search.descriptor);
            const output = await new Promise<Buffer | undefined>((settle) => {
                const child = spawn(program, [...pattern, ...commandLine], {
                    cwd: search.root,
                    env: { PATH: absoluteSearchPath(), LC_ALL: "C" },
                    stdio: [input ?? search.descriptor ?? "ignore", "pipe", "pipe"],
                    signal: ended,
                    killSignal: "SIGKILL",
                });
                let rest: Buffer = Buffer.alloc(0);
                let hasComplained = false;
                child.stdout?.on("data", (chunk: Buffer) => {
                    rest = readRecords(Buffer.concat([rest, chunk]), onRecord);
                });
                child.stderr?.on("data", () => (hasComplained = true));
                child.on("error", () => settle(undefined));
                // Exit code 0: found, 1: not found, 2: also for an unreadable file, which is not an
                // error here.
                child.on("close", (code) =>
                    settle(code === null || hasComplained ? undefined : rest)
                );
            });
            if (input !== undefined) closeSync(input);
            ended.throwIfAborted();
            return output;
        };
        return withTimeLimit(limitMs, searching, {
            signal,
            reason: () => tooSlow("The search", limitMs),
        });
    }
}

/** Reopens the same file with its own offset; not possible on macOS. */
function openAgain(descriptor: number | undefined): number | undefined {
    if (descriptor === undefined || process.platform !== "linux") return undefined;
    return openSync(`/proc/self/fd/${descriptor}`, "r");
}

/** Parses complete records; returns the rest. */
function readRecords(output: Buffer, onRecord: (path: string, text: string) => void): Buffer {
    let start = 0;
    for (;;) {
        const nul = output.indexOf(0, start);
        const end = nul < 0 ? -1 : output.indexOf(0x0a, nul);
        if (end < 0) return output.subarray(start);
        const path = output.toString("utf8", start, nul);
        onRecord(path.replace(/^\.\//, ""), output.toString("latin1", nul + 1, end));
        start = end + 1;
    }
}

async function ripgrepProgram(): Promise<string | undefined> {
    try {
        return (await import("@vscode/ripgrep")).rgPath;
    } catch {
        return undefined;
    }
}

/** Ignored folders first: whatever does not fit is searched needlessly and filtered out later. */
function exclusions(ignored: readonly string[]): string[] {
    const everywhere = [...ALWAYS_IGNORED_FOLDERS].map((name) => `--glob=!${name}/`);
    const single: string[] = [];
    let left = MAX_EXCLUSION_CHARACTERS;
    for (const isFolder of [true, false]) {
        for (const path of ignored) {
            const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1, -1);
            // Ripgrep strips trailing white space from patterns.
            const isUsable =
                path.endsWith("/") === isFolder &&
                !(isFolder && ALWAYS_IGNORED_FOLDERS.has(name)) &&
                !/\s$/.test(path);
            if (isUsable && path.length < left) {
                const glob = `--glob=!/${path.replace(/[\\*?[\]{}!]/g, "\\$&")}`;
                single.push(glob);
                left -= glob.length;
            }
        }
    }
    return [...everywhere, ...single];
}
