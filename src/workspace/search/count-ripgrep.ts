import { spawn } from "node:child_process";
import { ALWAYS_IGNORED_FOLDERS } from "../ignore/always-ignored.js";
import { absoluteSearchPath } from "../git.js";
import { tooSlow } from "../pacer.js";
import type { SearchPattern } from "./search-pattern.js";

/** Where ripgrep has to look. */
export interface RipgrepScope {
    readonly root: string;
    /** Relative to the root; `""` for all of it. */
    readonly folder: string;
    /** What is ignored: folders end with `/`. */
    readonly ignored: readonly string[];
    readonly limitMs: number;
    readonly signal?: AbortSignal;
}

const FIXED_ARGUMENTS = [
    "--no-config",
    // What is ignored comes from North's own list: ripgrep's idea of an ignore file is not git's.
    "--no-ignore",
    "--hidden",
    "--no-follow",
    "--no-messages",
    "--no-mmap",
    "--color=never",
    "--case-sensitive",
    "--encoding=none",
    "--count",
    "--null",
    "--with-filename",
];

/** Far below what the systems allow for all arguments together. */
const MAX_EXCLUSION_CHARACTERS = 60_000;

/**
 * How many lines match in each file, by ripgrep; it may name ignored files as well. `undefined`
 * when ripgrep cannot be run or does not understand the pattern. Rejects with `timeout` or the
 * reason of the signal.
 */
export async function countWithRipgrep(
    pattern: SearchPattern,
    scope: RipgrepScope
): Promise<ReadonlyMap<string, number> | undefined> {
    const program = await ripgrepProgram();
    if (program === undefined || pattern.ripgrepArguments === undefined) return undefined;

    const commandLine = [
        ...FIXED_ARGUMENTS,
        ...exclusions(scope.ignored),
        ...pattern.ripgrepArguments,
        "--",
        scope.folder === "" ? "./" : `./${scope.folder}`,
    ];
    const output = await run(program, commandLine, scope);
    return output === undefined ? undefined : parseCounts(output);
}

async function ripgrepProgram(): Promise<string | undefined> {
    try {
        return (await import("@vscode/ripgrep")).rgPath;
    } catch {
        return undefined;
    }
}

/** The ignored folders first: what is not excluded here is searched in vain and left out later. */
function exclusions(ignored: readonly string[]): string[] {
    const everywhere = [...ALWAYS_IGNORED_FOLDERS].map((name) => `--glob=!${name}/`);
    const single: string[] = [];
    let left = MAX_EXCLUSION_CHARACTERS;
    for (const isFolder of [true, false]) {
        for (const path of ignored) {
            const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1, -1);
            // White space at the end of a pattern would be taken away.
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

async function run(
    program: string,
    commandLine: readonly string[],
    scope: RipgrepScope
): Promise<Buffer | undefined> {
    scope.signal?.throwIfAborted();
    let timedOut = false;
    const output = await new Promise<Buffer | undefined>((settle) => {
        const child = spawn(program, commandLine, {
            cwd: scope.root,
            env: { PATH: absoluteSearchPath(), LC_ALL: "C" },
            stdio: ["ignore", "pipe", "pipe"],
            signal: scope.signal,
            killSignal: "SIGKILL",
        });
        const timer = setTimeout(() => {
            timedOut = true;
            child.kill("SIGKILL");
        }, scope.limitMs);
        const chunks: Buffer[] = [];
        let hasComplained = false;
        child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
        child.stderr.on("data", () => (hasComplained = true));
        child.on("error", () => {
            clearTimeout(timer);
            settle(undefined);
        });
        child.on("close", (code) => {
            clearTimeout(timer);
            // 0 is found, 1 not found. 2 is also a file that may not be read, which is no complaint.
            settle(code === null || hasComplained ? undefined : Buffer.concat(chunks));
        });
    });
    scope.signal?.throwIfAborted();
    if (timedOut) throw tooSlow("The search", scope.limitMs);

    return output;
}

/** `./path NUL count LF`, again and again. */
function parseCounts(output: Buffer): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (let start = 0; start < output.length;) {
        const nul = output.indexOf(0, start);
        const end = output.indexOf(0x0a, nul);
        if (nul < 0 || end < 0) break;

        const path = output.toString("utf8", start, nul);
        counts.set(path.replace(/^\.\//, ""), Number(output.toString("latin1", nul + 1, end)));
        start = end + 1;
    }
    return counts;
}
