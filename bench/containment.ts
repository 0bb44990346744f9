import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { OutputKeeper } from "../src/host/project/contained-outputs.js";
import type {
    ContainedRequest,
    ContainedRun,
    Containment,
    ContainmentOptions,
} from "../src/shell/containment/containment.js";
import { findLandlock } from "../src/shell/containment/linux/landlock.js";
import { ReadOnlyContainment } from "../src/shell/containment/linux/read-only.js";
import { openContainment } from "../src/shell/containment/open-containment.js";
import { findBash } from "../src/shell/find-bash.js";
import { ReviewedPaths } from "../src/workspace/apply/reviewed-paths.js";
import { openWorkspace } from "../src/workspace/open-workspace.js";
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
    const small = await makeProject(path.join(top, "small"), 20);
    // Small runs first: starting any program is slow beside the memory and files of the large ones.
    const rows = [
        await overhead("a contained `true`, over the same uncontained", small, "true", 60),
        ...(await readOnlyRows(small)),
        await overhead("a command that writes 2,000 files", small, WRITES, 2000),
    ];
    const large = await makeProject(path.join(top, "large"), 50_000);
    rows.push(
        await overhead("`git status` in 50,000 files", large, "git status --porcelain", 1000),
        await installation(path.join(top, "installed")),
        ...(await downloads(path.join(top, "downloaded")))
    );
    await Promise.all([small, large].map(({ containment }) => containment.dispose()));
    return rows;
}

const WRITES = "mkdir out; for i in {1..2000}; do echo $i >out/$i; done";
const INSTALLS = "tar -xf files.tar";
const INSTALLED = 30_000;

/** Files that git ignores, written contained, sorted and moved into the project. */
async function installation(folder: string): Promise<BenchRow> {
    const root = path.join(folder, "project");
    mkdirSync(root, { recursive: true });
    writeFileSync(path.join(root, ".gitignore"), "node_modules\n");
    const workspace = openWorkspace({ root });
    const { home, containment } = await makeProject(folder, 20, {
        isIgnored: (name, type) => workspace.isIgnored(name, type),
        outputRules: new ReviewedPaths(root, process.env.PATH),
    });
    const keeper = new OutputKeeper(root, undefined);
    for (let file = 0; file < INSTALLED; file++) {
        const place = path.join(root, "node_modules", `package-${file % 1000}`);
        mkdirSync(place, { recursive: true });
        writeFileSync(path.join(place, `${file}.js`), `module.exports = ${file};\n`);
    }
    execFileSync("tar", ["-cf", "files.tar", "node_modules"], { cwd: root });
    const clear = () => rmSync(path.join(root, "node_modules"), { recursive: true });
    clear();
    const [contained, plain]: [number[], number[]] = [[], []];
    for (let time = 0; time < 3; time++) {
        contained.push(
            await timed(async () => {
                const done = await run(containment, root, home, INSTALLS, { holdsOutputs: true });
                const outputs = keeper.of(done, INSTALLS);
                await outputs.keep();
                await outputs.release();
            })
        );
        const kept = readdirSync(path.join(root, "node_modules")).length;
        if (kept !== 1000) throw new Error(`${kept} of 1,000 packages were kept.`);
        clear();
        plain.push(await timed(() => spawnSync("bash", ["-c", INSTALLS], { cwd: root })));
        clear();
    }
    await containment.dispose();
    return difference("30,000 files in node_modules", contained, plain, 2000);
}

/**
 * Serves 100 MB at the bytes per second of its argument, in a process of its own. Its port is all
 * that it prints.
 */
const SERVER = `const content = Buffer.alloc(100 * 1024 ** 2);
const rate = Number(process.argv[1]);
const server = require("node:http").createServer((_, response) => {
    const began = performance.now();
    let sent = 0;
    response.setHeader("content-length", content.length);
    const send = () => {
        const due = Math.min(content.length, ((performance.now() - began) / 1000) * rate);
        const isDrained = response.write(content.subarray(sent, due));
        sent = Math.floor(due);
        if (sent === content.length) response.end();
        else if (isDrained) setTimeout(send, 1);
        else response.once("drain", send);
    };
    send();
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

const LINKS = [
    { name: "over 1 Gbit/s", rate: 1e9 / 8, bound: 0.8 },
    // Faster than any network: what each byte costs.
    { name: "over loopback", rate: 1e12, bound: undefined },
];

/** Speeds of downloads through the proxy, as shares of direct ones. */
async function downloads(folder: string): Promise<BenchRow[]> {
    const rows: BenchRow[] = [];
    for (const link of LINKS) {
        rows.push(await download(path.join(folder, `${link.rate}`), link));
    }
    return rows;
}

async function download(
    folder: string,
    { name, rate, bound }: (typeof LINKS)[number]
): Promise<BenchRow> {
    const server = spawn(process.execPath, ["-e", SERVER, String(rate)], {
        stdio: ["ignore", "pipe", "inherit"],
    });
    const [announced] = (await once(server.stdout, "data")) as [Buffer];
    const port = Number(announced);
    const reach = {
        resolveHost: async () => [{ address: "127.0.0.1", family: 4 }],
        isPublicAddress: () => true,
        portOf: () => port,
        proxyFor: () => "",
    };
    const { root, home, containment } = await makeProject(folder, 20, { reach });
    const fetch = (url: string) => `curl -sS -o /dev/null -w %{time_total} ${url}`;
    const direct = fetch(`http://127.0.0.1:${port}/`);
    const hosts = { permit: async () => ({}) };
    const shares: number[] = [];
    for (let time = 0; time < TIMES; time++) {
        const command = fetch("http://files.example/");
        const { outcome } = await run(containment, root, home, command, { hosts });
        const { stdout } = spawnSync("bash", ["-c", direct], { encoding: "utf8" });
        if (!(Number(outcome.stdout) > 0)) throw new Error(`No download: ${outcome.stderr}`);
        shares.push(Number(stdout) / Number(outcome.stdout));
    }
    await containment.dispose();
    server.kill();
    const share = median(shares);
    return {
        what: `a download of 100 MB ${name} through the proxy`,
        value: `${share.toFixed(2)} of the direct speed`,
        bound: bound === undefined ? "none" : String(bound),
        ok: bound === undefined || share >= bound,
    };
}

/** Landlock and Perl, as where there are no namespaces. */
async function readOnlyRows({ root, home }: Project): Promise<readonly BenchRow[]> {
    const landlock = findLandlock();
    if ("missing" in landlock) return [];
    const base = realpathSync(mkdtempSync(path.join(tmpdir(), "north-bench-read-only-")));
    const containment = new ReadOnlyContainment({
        ...optionsOf(root, home),
        ...{ home, base, landlock, bash: await findBash(process.env.PATH) },
        gitPlaces: { settings: [], named: [] },
    });
    const row = await overhead("a read-only `true`", { root, home, containment }, "true", 40);
    await containment.dispose();
    return [row];
}

interface Project {
    readonly root: string;
    readonly home: string;
    readonly containment: Containment;
}

function optionsOf(root: string, home: string): ContainmentOptions {
    return {
        root,
        environment: { ...process.env, HOME: home },
        layerFolders: [path.join(home, "layers")],
        hiddenFolders: [],
        settings: { show: [], hide: [] },
        isIgnored: () => Promise.resolve(false),
        outputRules: { reviewed: async () => () => false },
    };
}

/** A repository with so many files, and where its commands run contained. */
export async function makeProject(
    folder: string,
    files: number,
    change: Partial<ContainmentOptions> = {}
): Promise<Project> {
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
    const opened = await openContainment({ ...optionsOf(root, home), ...change });
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
    return difference(what, contained, plain, boundMs);
}

function difference(
    what: string,
    contained: readonly number[],
    plain: readonly number[],
    boundMs: number
): BenchRow {
    const more = median([...contained]) - median([...plain]);
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

/** Runs a command contained. */
export function run(
    containment: Containment,
    root: string,
    home: string,
    command: string,
    request: Partial<ContainedRequest> = {}
): Promise<ContainedRun> {
    const variables = new Map([
        ["PATH", process.env.PATH ?? ""],
        ["HOME", home],
    ]);
    const { signal } = new AbortController();
    const state = { folder: root, variables, definitions: "" };
    return containment.run({ command, state, timeoutMs: 60_000, signal, ...request });
}
