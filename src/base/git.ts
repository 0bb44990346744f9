import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { gitDirectories } from "./git-directory.js";
import { NorthError } from "./north-error.js";
import { safeLine } from "./safe-text.js";
import { absoluteSearchPath } from "./search-path.js";

/** Git's output; `complete` is false after a timeout. */
interface GitOutput {
    readonly stdout: Buffer;
    readonly complete: boolean;
}

interface GitOptions {
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
    readonly variables?: NodeJS.ProcessEnv;
    /** For its standard input. */
    readonly input?: string | Uint8Array;
}

const TIMEOUT_MS = 10_000;
/** Checking out a large repository takes a while. */
const LONG_TIMEOUT_MS = 300_000;

// A repository's own configuration can name commands. None may run: no file system monitor, hooks,
// pager, signature check, or transport that fetches objects missing from a partial clone.
const SAFE_SETTINGS = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "log.showSignature=false",
    "protocol.allow=never",
    // Git would quote names beyond ASCII.
    "core.quotePath=false",
].flatMap((setting) => ["-c", setting]);

const KEPT_VARIABLES = [
    "HOME",
    "XDG_CONFIG_HOME",
    "TMPDIR",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    // Who the person is, where the settings do not say, as on CI.
    ...[
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
        "EMAIL",
    ],
];

/**
 * Runs git in the repository at `root` and in no other. `undefined` if git is missing or fails, or
 * if `root` is not a repository. Rejects only with the signal's reason.
 */
export async function runGit(
    root: string,
    commandLine: readonly string[],
    options: GitOptions = {}
): Promise<GitOutput | undefined> {
    const end = await execGit(root, commandLine, options);
    if (!end || (end.code !== 0 && !end.timedOut)) return undefined;
    return { stdout: end.stdout, complete: !end.timedOut };
}

/** Git's output without the blanks around it. */
export async function gitText(root: string, ...words: readonly string[]) {
    return (await runGit(root, words))?.stdout.toString("utf8").trim();
}

/** The content of a blob, named as `COMMIT:PATH`; `undefined` if git does not have it whole. */
export async function blobAt(root: string, object: string): Promise<Buffer | undefined> {
    const output = await runGit(root, ["cat-file", "blob", object]);
    return output?.complete ? output.stdout : undefined;
}

/**
 * The name that git gives a content, with as many digits as its other names have:
 * https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
 */
export function blobId(bytes: Uint8Array, digits = 40): string {
    const hash = createHash(digits === 64 ? "sha256" : "sha1");
    return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/**
 * Like `runGit`, for commands that must succeed; returns stdout. Rejects with `git-failed` and
 * git's own message.
 */
export async function requireGit(
    root: string,
    commandLine: readonly string[],
    options: GitOptions = {}
): Promise<string> {
    const end = await execGit(root, commandLine, { timeoutMs: LONG_TIMEOUT_MS, ...options });
    if (end?.code === 0) return end.stdout.toString("utf8");
    throw gitFailed(commandLine, end);
}

function gitFailed([command]: readonly string[], end: GitExit | undefined): NorthError {
    const words = end?.stderr.toString("utf8").trim() || "it did not run";
    return new NorthError("git-failed", `git ${command} failed: ${safeLine(words)}`);
}

/**
 * Names of settings in the repository's own configuration, not the user's, whose programs run on
 * checkout, commit or merge. Git has no switch to disable them. Rejects with `git-failed` if they
 * cannot be read.
 */
export async function programsInSettings(root: string): Promise<readonly string[]> {
    const names =
        "^(filter\\..*\\.(clean|smudge|process)|merge\\..*\\.driver|gpg\\.(.*\\.)?(program|defaultkeycommand))$";
    const listing = ["config", "--show-scope", "--name-only", "-z", "--get-regexp", names];
    const end = await execGit(root, listing, {});
    // Git exits with 1 where no setting has such a name.
    if (end?.code !== 0 && end?.code !== 1) throw gitFailed(listing, end);
    const words = end.stdout.toString("utf8").split("\0");
    return words.filter((_name, index) => /^(local|worktree)$/.test(words[index - 1] ?? ""));
}

/** Whether git could start such programs; also where that cannot be read. */
export async function mayRunPrograms(root: string): Promise<boolean> {
    return programsInSettings(root).then(
        (names) => names.length > 0,
        () => true
    );
}

interface GitExit extends Record<"stdout" | "stderr", Buffer> {
    readonly code: number | null | undefined;
    readonly timedOut: boolean;
}

async function execGit(
    root: string,
    commandLine: readonly string[],
    { signal, timeoutMs = TIMEOUT_MS, variables, input }: GitOptions
): Promise<GitExit | undefined> {
    signal?.throwIfAborted();
    if (await hasPipe(root)) return undefined;
    const result = await new Promise<GitExit | undefined>((settle) => {
        const options = {
            cwd: root,
            env: { ...safeEnvironment(root), ...variables },
            encoding: "buffer",
            maxBuffer: Infinity,
            timeout: timeoutMs,
            killSignal: "SIGKILL",
            signal,
        } as const;
        const full = ["--no-pager", ...SAFE_SETTINGS, ...commandLine];
        const child = execFile("git", full, options, (error, stdout, stderr) => {
            const code = error ? error.code : 0;
            // A system error's name: git could not be started.
            if (typeof code === "string") settle(undefined);
            else settle({ code, timedOut: error?.killed ?? false, stdout, stderr });
        });
        // It may end before it has read everything.
        child.stdin?.on("error", () => {});
        child.stdin?.end(input);
    });
    signal?.throwIfAborted();
    return result;
}

/** Git would wait for somebody to write to it. */
async function hasPipe(root: string): Promise<boolean> {
    const folders = Object.values((await gitDirectories(root)) ?? {});
    const entries = folders.map((each) => readdir(each, { withFileTypes: true }).catch(() => []));
    return (await Promise.all(entries)).flat().some((entry) => entry.isFIFO());
}

function safeEnvironment(root: string): NodeJS.ProcessEnv {
    const kept = KEPT_VARIABLES.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value] as const];
    });
    return {
        ...Object.fromEntries(kept),
        PATH: absoluteSearchPath(),
        LC_ALL: "C",
        GIT_OPTIONAL_LOCKS: "0",
        GIT_TERMINAL_PROMPT: "0",
        GIT_NO_LAZY_FETCH: "1",
        GIT_ALLOW_PROTOCOL: "none",
        // Ignore an enclosing repository, and another work tree named in the configuration.
        GIT_CEILING_DIRECTORIES: dirname(root),
        GIT_WORK_TREE: root,
    };
}
