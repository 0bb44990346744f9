// North compared to other assistants: the same question, the same number of calls, a server on
// loopback. Each is installed from npm into its own folder and gets its own HOME.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
    type BenchRow,
    cleanEnvironment,
    ended,
    median,
    residentMemory,
    root,
    wallTime,
} from "./measure.js";
import { type Peer, peers } from "./peer-programs.js";
import { startPeerServer } from "./peer-server.js";
import { tokensIn } from "./tokens.js";

const RUNS = 3;
const CALLS = 20;
const MAX_SECONDS = 90;
/** Set to the name of the one to measure. */
const ONE = "NORTH_BENCH_PEER";

/** Measures each in its own process, which prints its rows. */
export async function peerRows(): Promise<BenchRow[]> {
    const place = path.join(tmpdir(), "north-peers");
    const [chosen] = peers.filter(({ name }) => name === process.env[ONE]);
    if (chosen === undefined) {
        for (const peer of peers) {
            install(peer, place);
            measureInOwnNetwork(peer);
        }
        return [];
    }
    try {
        return await measure(chosen, install(chosen, place));
    } catch (error) {
        return [figure(chosen, "not run", String(error).slice(0, 120))];
    }
}

/** Runs without network access except loopback. */
function measureInOwnNetwork({ name }: Peer): void {
    const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    const script = 'ip link set lo up && exec "$@"';
    const args = ["--user", "--map-root-user", "--net", "sh", "-c", script, "sh", ...again];
    spawnSync("unshare", args, { stdio: "inherit", env: { ...process.env, [ONE]: name } });
}

/** Returns the install folder; it stays empty if npm alone cannot install the package. */
function install({ install: name, binary }: Peer, place: string): string {
    if (name === undefined) return root;
    const prefix = path.join(place, name.replaceAll(/[@/]/g, "_"));
    if (!existsSync(path.join(prefix, "bin", binary)) && process.env[ONE] === undefined) {
        const args = ["install", "--global", "--prefix", prefix, "--no-audit", "--no-fund", name];
        spawnSync("npm", args, { stdio: "ignore" });
    }
    return prefix;
}

async function measure(peer: Peer, prefix: string): Promise<BenchRow[]> {
    const folder = mkdtempSync(path.join(tmpdir(), "north-peer-"));
    try {
        const binary = path.join(prefix, peer.install === undefined ? "" : "bin", peer.binary);
        if (!existsSync(binary)) throw new Error("npm could not install it");
        const project = path.join(folder, "project");
        const files = Array.from({ length: CALLS }, (_, at) => path.join(project, `${at}.txt`));
        mkdirSync(project);
        for (const file of files) writeFileSync(file, "one\ntwo\n");
        execFileSync("git", ["init", "-q"], { cwd: project });
        const run = async (calls: number) => runOnce(peer, binary, folder, files.slice(0, calls));
        // Warm-up: fills caches and writes first-run files.
        await run(0);
        const starts = await times(async () =>
            wallTime(binary, ["--version"], { env: cleanEnvironment(path.join(folder, "home")) })
        );
        const short = await times(async () => run(0));
        const long = await run(CALLS);
        const first = short.map(({ toFirstRequest }) => toFirstRequest);
        const turns = long.requests - 1;
        const perTurn = (long.processor - median(short.map((each) => each.processor))) / turns;
        const body = short[0]?.body ?? "";
        return [
            figure(peer, "--version", `${median(starts).toFixed(0)} ms`),
            figure(peer, "start to first request", `${median(first).toFixed(0)} ms`),
            figure(peer, "tokens of the first request", String(tokensIn(body))),
            figure(peer, `processor time a turn, of ${turns}`, `${perTurn.toFixed(0)} ms`),
            figure(peer, "memory, all processes", `${long.memory.toFixed(0)} MB`),
            ...(peer.install === undefined ? [] : [figure(peer, "installed", sizeOf(prefix))]),
        ];
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

async function times<Value>(work: () => Promise<Value>): Promise<Value[]> {
    const values: Value[] = [];
    for (let run = 0; run < RUNS; run += 1) values.push(await work());
    return values;
}

interface Run {
    readonly toFirstRequest: number;
    readonly body: string;
    readonly requests: number;
    /** CPU time of the program and all its children, in milliseconds. */
    readonly processor: number;
    readonly memory: number;
}

async function runOnce(
    peer: Peer,
    binary: string,
    folder: string,
    files: readonly string[]
): Promise<Run> {
    const home = path.join(folder, "home");
    let memory = 0;
    let pid = 0;
    const onRequest = () => (memory = Math.max(memory, memoryOfTree(pid)));
    const server = await startPeerServer(peer, files, onRequest);
    try {
        for (const [name, content] of Object.entries(peer.files?.(server.url) ?? {})) {
            mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
            writeFileSync(path.join(home, name), content);
        }
        mkdirSync(home, { recursive: true });
        const env = cleanEnvironment(home, peer.environment(server.url));
        const begin = performance.now();
        // Bash includes the CPU time of all finished descendants.
        const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1 </dev/null';
        const timed = ["-k", "2", String(MAX_SECONDS), binary, ...peer.args];
        const child = spawn("bash", ["-c", script, "bash", "timeout", ...timed], {
            cwd: path.join(folder, "project"),
            env,
            stdio: ["ignore", "ignore", "pipe"],
        });
        pid = child.pid ?? 0;
        let seconds = "";
        child.stderr.on("data", (chunk: Buffer) => (seconds += String(chunk)));
        await ended(child);
        const [request] = server.requests;
        if (request === undefined) throw new Error("sent no request");
        const [user = 0, system = 0] = seconds.trim().split(/\s+/).map(Number);
        return {
            toFirstRequest: request.at - begin,
            body: request.body,
            requests: server.requests.length,
            processor: (user + system) * 1000,
            memory,
        };
    } finally {
        await server.close();
    }
}

/** Memory of a process tree in megabytes; shared pages count once per process. */
function memoryOfTree(pid: number): number {
    try {
        const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
            readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ")
        );
        const below = children.filter(Boolean).map((child) => memoryOfTree(Number(child)));
        return below.reduce((sum, each) => sum + each, residentMemory(pid) || 0);
    } catch {
        return 0;
    }
}

function sizeOf(prefix: string): string {
    const [kilobytes = 0] = String(execFileSync("du", ["-sk", prefix]))
        .split("\t")
        .map(Number);
    return `${(kilobytes / 1024).toFixed(0)} MB`;
}

function figure({ name, install = "this checkout" }: Peer, what: string, value: string): BenchRow {
    const version = install.replace(/^.*@/, "");
    return { what: `${name} ${version}: ${what}`, value, bound: "none", ok: true };
}
