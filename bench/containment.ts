import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { ContainedRun, Containment } from "../src/shell/containment/containment.js";
import { openContainment } from "../src/shell/containment/open-containment.js";
import { median, type BenchRow } from "./measure.js";

const TIMES = 7;

/** The overhead of contained runs. */
export async function containmentRows(): Promise<BenchRow[]> {
    const top = realpathSync(mkdtempSync(path.join(tmpdir(), "north-bench-contained-")));
    try {
        return await overheads(top);
    } finally {
        rmSync(top, { recursive: true, force: true });
    }
}

async function overheads(top: string): Promise<BenchRow[]> {
    const small = await project(path.join(top, "small"), 20);
    const large = await project(path.join(top, "large"), 50_000);
    const rows = [
        await overhead("a contained `true`, over the same uncontained", small, "true", 60),
        await overhead("`git status` in 50,000 files", large, "git status --porcelain", 1000),
        await overhead("a command that writes 2,000 files", small, WRITES, 2000),
    ];
    await Promise.all([small, large].map(({ containment }) => containment.dispose()));
    return rows;
}

const WRITES = "mkdir out; for i in {1..2000}; do echo $i >out/$i; done";

interface Project {
    readonly root: string;
    readonly home: string;
    readonly containment: Containment;
}

async function project(folder: string, files: number): Promise<Project> {
    const [root, home] = [path.join(folder, "project"), path.join(folder, "home")];
    mkdirSync(home, { recursive: true });
    for (let file = 0; file < files; file++) {
        const place = path.join(root, `d${file % 500}`);
        mkdirSync(place, { recursive: true });
        // Few distinct contents: git would store each as a file.
        writeFileSync(path.join(place, `${file}.txt`), `${file % 20}\n`);
    }
    git(root, "init", "-q");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "all");
    const opened = await openContainment({
        root,
        environment: { ...process.env, HOME: home },
        layerFolders: [path.join(home, "layers")],
        hiddenFolders: [],
        settings: { show: [], hide: [] },
        isIgnored: () => Promise.resolve(false),
    });
    if (opened.kind === "unavailable") throw new Error(opened.reason);
    return { root, home, containment: opened.containment };
}

function git(root: string, ...commandLine: string[]): void {
    const identity = ["-c", "user.name=B", "-c", "user.email=b@example.org"];
    execFileSync("git", [...identity, ...commandLine], { cwd: root });
}

async function overhead(
    what: string,
    { root, home, containment }: Project,
    command: string,
    boundMs: number
): Promise<BenchRow> {
    const contained: number[] = [];
    const plain: number[] = [];
    for (let time = 0; time < TIMES; time++) {
        contained.push(await timed(() => run(containment, root, home, command)));
        plain.push(await timed(() => spawnSync("bash", ["-c", command], { cwd: root })));
        rmSync(path.join(root, "out"), { recursive: true, force: true });
    }
    const more = median(contained) - median(plain);
    return {
        what,
        value: `${Math.round(more)} ms more`,
        bound: `${boundMs} ms`,
        ok: more <= boundMs,
    };
}

async function timed(work: () => unknown): Promise<number> {
    const begin = performance.now();
    await work();
    return performance.now() - begin;
}

function run(
    containment: Containment,
    root: string,
    home: string,
    command: string
): Promise<ContainedRun> {
    const variables = new Map([
        ["PATH", process.env.PATH ?? ""],
        ["HOME", home],
    ]);
    const { signal } = new AbortController();
    const state = { folder: root, variables, definitions: "" };
    return containment.run({ command, state, timeoutMs: 10_000, signal });
}
