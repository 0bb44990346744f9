import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { kindOf, newProblems } from "../plugins/north-plugin-lsp/src/new-problems.js";
import { Pool } from "../plugins/north-plugin-lsp/src/pool.js";
import { sha256 } from "../src/base/sha256.js";
import type { FileChange, Finding, StartContained } from "../src/plugin/index.js";
import { startProcess } from "../src/shell/containment/linux/contained-process.js";
import { openContainment } from "../src/shell/containment/open-containment.js";
import { openWorkspace } from "../src/workspace/open-workspace.js";
import { type BenchRow, median, residentMemory, root } from "./measure.js";

/** The proof of "no false new error" takes 200, which run for an hour. */
const COMMITS = Number(process.env.NORTH_BENCH_COMMITS ?? 20);
const MAX_FIRST_MS = 20_000;
const MAX_LATER_MS = 5_000;
const MAX_MEMORY_MB = 1_500;
const LIMITS = { start: 120_000, request: 240_000, review: 5_000, idle: 600_000 };

/** This repository's last commits as proposals: each is right, so nothing may be found. */
export async function* languageServerRows(): AsyncGenerator<BenchRow> {
    const top = realpathSync(mkdtempSync(path.join(tmpdir(), "north-bench-servers-")));
    const clone = path.join(top, "clone");
    const home = path.join(top, "home");
    mkdirSync(home);
    git(top, "clone", "--quiet", root, clone);
    symlinkSync(path.join(root, "node_modules"), path.join(clone, "node_modules"));
    const PATH = `${path.join(root, "node_modules/.bin")}:${process.env.PATH}`;
    const opened = await openContainment({
        root: clone,
        environment: { ...process.env, HOME: home, PATH },
        layerFolders: [path.join(top, "layers")],
        hiddenFolders: [],
        settings: { show: [path.join(root, "node_modules")], hide: [] },
        isIgnored: async () => false,
    });
    if (opened.kind === "unavailable") throw new Error(opened.reason);
    const variables = new Map(Object.entries({ PATH, HOME: home }));
    const startContained: StartContained = (command, options) => {
        const state = { folder: clone, variables, definitions: "" };
        return startProcess(opened.containment, command, { state }, options);
    };
    const pool = new Pool(clone, PATH, LIMITS);
    const { signal } = new AbortController();
    const caller = { workspace: openWorkspace({ root: clone }), startContained, signal };
    const commits = git(clone, "log", "--format=%H", "--no-merges", "--", "src").trim().split("\n");
    const times: number[] = [];
    const found: string[] = [];
    const right: string[] = [];
    try {
        for (const commit of commits) {
            if (times.length === COMMITS) break;
            const changes = changesOf(clone, commit);
            if (changes === undefined) continue;
            git(clone, "checkout", "--quiet", "--force", `${commit}^`);
            const begin = performance.now();
            const findings = await newProblems(pool.for("src/a.ts"), changes, caller);
            times.push(performance.now() - begin);
            for (const finding of findings) {
                const told = `${commit.slice(0, 8)} ${finding.path}:${finding.line} ${finding.text}`;
                (isRight(clone, commit, finding) ? right : found).push(told);
            }
            const [first = 0, ...later] = times;
            if (later.length === 0) {
                yield row(
                    "errors of a proposal, with the server's start",
                    first,
                    MAX_FIRST_MS,
                    "ms"
                );
            }
        }
        yield row("later ones, median", median(times.slice(1)), MAX_LATER_MS, "ms");
        yield row("memory of the server", memoryOf(clone), MAX_MEMORY_MB, "MB");
        yield row(`false new errors in ${times.length} commits`, found.length, 0, "");
        for (const line of found) process.stdout.write(`        ${line}\n`);
        for (const line of right) process.stdout.write(`        tsc says so too: ${line}\n`);
    } finally {
        pool.stop();
        await opened.containment.dispose();
        rmSync(top, { recursive: true, force: true });
    }
}

/** A commit made with other dependencies may have errors with today's: the compiler decides. */
function isRight(clone: string, commit: string, { path: file, text }: Finding): boolean {
    const [code = "", message = ""] = text.replace(/^\+\d+ errors? /, "").split(/, (.*)/s);
    const [before = 0, after = 0] = [`${commit}^`, commit].map((at) => {
        git(clone, "checkout", "--quiet", "--force", at);
        const { stdout } = spawnSync(
            path.join(root, "node_modules/.bin/tsc"),
            ["--noEmit", "--incremental", "false", "--pretty", "false"],
            { cwd: clone, encoding: "utf8", maxBuffer: 64 * 1024 ** 2 }
        );
        return stdout.split("\n").filter((line) => {
            const [, place, known = "", said = ""] =
                /^(.*?)\(\d+,\d+\): error (TS\d+): (.*)/.exec(line) ?? [];
            const isSame = kindOf({ code: known, message: said }) === kindOf({ code, message });
            return place === file && isSame;
        }).length;
    });
    return after > before;
}

function row(what: string, value: number, bound: number, unit: string): BenchRow {
    const shown = (amount: number) => `${Math.round(amount)} ${unit}`.trim();
    return { what, value: shown(value), bound: shown(bound), ok: value <= bound };
}

/** `undefined` for a commit without TypeScript, or with other settings. */
function changesOf(clone: string, commit: string): readonly FileChange[] | undefined {
    const names = git(clone, "diff", "--name-only", "--no-renames", `${commit}^`, commit);
    const files = names.trim().split("\n");
    if (files.some((file) => /(^|\/)(package|tsconfig)[^/]*\.json$/.test(file))) return undefined;
    const changes = files
        .filter((file) => file.endsWith(".ts"))
        .map((file): FileChange => {
            const [before, after] = [`${commit}^`, commit].map((at) => contentAt(clone, at, file));
            const beforeHash = before ? sha256(before) : null;
            return { path: file, before: before ?? null, beforeHash, after: after ?? null };
        });
    return changes.length > 0 && changes.length <= 50 ? changes : undefined;
}

function contentAt(clone: string, commit: string, file: string): Buffer | undefined {
    const { status, stdout } = spawnSync("git", ["show", `${commit}:${file}`], {
        cwd: clone,
        maxBuffer: 64 * 1024 ** 2,
    });
    return status === 0 ? stdout : undefined;
}

/** Of the processes that run what is in the clone: tsserver, which holds the program. */
function memoryOf(clone: string): number {
    const { stdout } = spawnSync("pgrep", ["-f", clone], { encoding: "utf8" });
    const pids = stdout.trim().split("\n").map(Number);
    return pids.reduce((sum, pid) => sum + residentMemory(pid), 0);
}

function git(folder: string, ...words: string[]): string {
    return execFileSync("git", words, { cwd: folder, encoding: "utf8" });
}
