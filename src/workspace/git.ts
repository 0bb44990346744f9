import { spawn } from "node:child_process";
import { dirname } from "node:path";

import { absoluteSearchPath } from "../base/search-path.js";

/** Git's output; `complete` is false after a timeout. */
export interface GitOutput {
    readonly stdout: Buffer;
    readonly complete: boolean;
}

export interface GitOptions {
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

// A cloned repository brings its own configuration, and parts of it are commands. None may run:
// neither the file system monitor nor hooks, pagers, signature checks, or a transport that fetches
// objects which a partial clone left behind.
const SAFE_SETTINGS = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "log.showSignature=false",
    "protocol.allow=never",
].flatMap((setting) => ["-c", setting]);

const KEPT_VARIABLES = [
    "HOME",
    "XDG_CONFIG_HOME",
    "TMPDIR",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/**
 * Runs git in the repository at `root` and in no other. `undefined` when git is missing, fails or
 * does not take this for a repository. Rejects only with the reason of `signal`.
 */
export async function runGit(
    root: string,
    commandLine: readonly string[],
    options: GitOptions = {}
): Promise<GitOutput | undefined> {
    options.signal?.throwIfAborted();
    const result = await new Promise<GitOutput | undefined>((settle) => {
        const child = spawn("git", ["--no-pager", ...SAFE_SETTINGS, ...commandLine], {
            cwd: root,
            env: safeEnvironment(root),
            stdio: ["ignore", "pipe", "ignore"],
            signal: options.signal,
            killSignal: "SIGKILL",
        });
        const chunks: Buffer[] = [];
        let timedOut = false;
        const timer = setTimeout(() => {
            timedOut = true;
            child.kill("SIGKILL");
        }, options.timeoutMs ?? TIMEOUT_MS);
        child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
        child.on("error", () => settle(undefined));
        child.on("close", (code) => {
            clearTimeout(timer);
            const stdout = Buffer.concat(chunks);
            settle(code === 0 || timedOut ? { stdout, complete: !timedOut } : undefined);
        });
    });
    options.signal?.throwIfAborted();
    return result;
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
        // Neither a repository around this one nor another work tree named in its settings counts.
        GIT_CEILING_DIRECTORIES: dirname(root),
        GIT_WORK_TREE: root,
    };
}
