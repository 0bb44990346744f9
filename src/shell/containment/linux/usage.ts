import { execFile } from "node:child_process";
import {
    type Dirent,
    lstatSync,
    readdirSync,
    readFileSync,
    readlinkSync,
    type Stats,
    statfsSync,
    statSync,
} from "node:fs";
import { statfs } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { attempt } from "../../../base/attempt.js";
import { processStatus } from "../../../base/process-identity.js";
import { errorCode } from "../../../base/system-error.js";
import { SYSTEM_PATH } from "../containment.js";

const run = promisify(execFile);

const BLOCK = 512;
const FIND_MS = 10_000;
const FIND_BYTES = 32 * 1024 * 1024;
const KB = 1024;
const LEAST_ROOM = 64 * KB;

export interface Room {
    bytes: number;
    files: number;
    /** Set if a path was too long to look below it. */
    isTooDeep?: boolean;
    /** Folders that could not be listed: a mode can forbid that to the owner, too. */
    readonly closed: string[];
}

// A process may exit at any moment: what cannot be read any more counts as nothing.

/** Returns at most `most` descendants. */
export function descendants(first: number, most: number): number[] {
    const found: number[] = [];
    const waiting = [first];
    for (let pid = waiting.pop(); pid !== undefined && found.length < most; pid = waiting.pop()) {
        found.push(pid);
        waiting.push(...childrenOf(pid));
    }
    return found;
}

/** Children of all its threads: the kernel lists them per thread. */
export function childrenOf(pid: number): number[] {
    return attempt(() => readdirSync(`/proc/${pid}/task`), []).flatMap((thread) =>
        attempt(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8"), "")
            .split(" ")
            .map(Number)
            .filter((child) => child > 0)
    );
}

/**
 * Bytes of memory that processes hold. Several may map the same shared pages, so these are divided
 * up, which is slow, once their sum exceeds `enough`.
 */
export function memoryOf(processes: readonly number[], enough: number): number {
    const resident = sumOf(processes, "status", ["RssAnon", "RssShmem"]);
    if (resident <= enough) return resident;
    const exact = sumOf(processes, "smaps_rollup", ["Pss_Anon", "Pss_Shmem"]);
    return exact > 0 ? exact : resident;
}

function sumOf(processes: readonly number[], table: string, names: readonly string[]): number {
    const line = new RegExp(`^(?:${names.join("|")}):\\s+(\\d+)`, "gm");
    const sizes = processes.flatMap((pid) => [
        ...attempt(() => readFileSync(`/proc/${pid}/${table}`, "utf8"), "").matchAll(line),
    ]);
    return sizes.reduce((sum, [, size]) => sum + Number(size) * KB, 0);
}

/** Linux counts in hundredths of a second. */
const TICKS = 100;

/** Processor time that processes, and the children they waited for, have used. */
export function cpuSeconds(processes: readonly number[]): number {
    const times = processes.flatMap((pid) => (processStatus(pid) ?? []).slice(11, 15));
    return times.reduce((sum, time) => sum + Number(time), 0) / TICKS;
}

/**
 * Bytes of files without a name that processes hold open: deleted ones, and those in memory. Those
 * that sockets hold, `inTransit` to a process, show nowhere; see `machineUse`.
 */
export function unnamedFiles(processes: readonly number[]) {
    const seen = new Set<string>();
    const total = { memory: 0, disk: 0, inTransit: false };
    for (const pid of processes) {
        for (const descriptor of attempt(() => readdirSync(`/proc/${pid}/fd`), [])) {
            const path = `/proc/${pid}/fd/${descriptor}`;
            const stats = attempt(() => statSync(path));
            if (stats?.isSocket() && !total.inTransit) {
                const file = `/proc/${pid}/fdinfo/${descriptor}`;
                const info = attempt(() => readFileSync(file, "utf8"), "");
                total.inTransit = /^scm_fds:\s*[1-9]/m.test(info);
            }
            if (!stats?.isFile() || stats.nlink > 0) continue;
            if (seen.has(idOf(stats))) continue;
            seen.add(idOf(stats));
            const target = attempt(() => readlinkSync(path), "");
            total[target.startsWith("/memfd:") ? "memory" : "disk"] += stats.blocks * BLOCK;
        }
    }
    return total;
}

/** Bytes that the machine has in use: of files in memory, and of the disk that a folder is on. */
export function machineUse(folder: string) {
    const [, shared = 0] = /^Shmem:\s+(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
    const { blocks, bfree, bsize } = statfsSync(folder);
    return { memory: Number(shared) * KB, disk: (blocks - bfree) * bsize };
}

/** Whether a disk had room for all that was written; a little fits even if it is full. */
export function hasRoom(folder: string, written: number): boolean {
    const { bavail, bsize, files, ffree } = statfsSync(folder);
    // Some file systems do not count their files.
    const isFull = bavail * bsize < LEAST_ROOM || (files > 0 && ffree === 0);
    return written < LEAST_ROOM || !isFull;
}

function idOf({ dev, ino }: Stats): string {
    return `${dev}:${ino}`;
}

/** Bytes in the private file systems in memory, as a process sees them. */
export async function memoryFolders(process: number | undefined): Promise<number> {
    let total = 0;
    for (const folder of ["run", "dev/shm"]) {
        const stats = await statfs(`/proc/${process}/root/${folder}`).catch(() => undefined);
        if (stats?.type === TMPFS) total += (stats.blocks - stats.bfree) * stats.bsize;
    }
    return total;
}

/** See statfs(2). */
const TMPFS = 0x01021994;

/** How many entries are looked at before others get their turn. */
const STRIDE = 1000;

/**
 * Subtracts the size of a folder's contents from `room`. Names are bytes, in `latin1`. Synchronous
 * calls, since asynchronous ones take ten times the processor time, which the command lacks then.
 */
export async function measure(folder: string, room: Room): Promise<void> {
    const waiting = [folder];
    let seen = 0;
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        for (const entry of entriesOf(next, room)) {
            if (room.bytes <= 0 || room.files-- <= 0) return;
            if (++seen % STRIDE === 0) await setImmediate();
            const path = `${next}/${entry.name}`;
            if (entry.isDirectory()) waiting.push(path);
            else room.bytes -= sizeOf(path);
        }
    }
}

function entriesOf(folder: string, room: Room): Dirent[] {
    try {
        const options = { encoding: "latin1", withFileTypes: true } as const;
        return readdirSync(Buffer.from(folder, "latin1"), options);
    } catch (error) {
        room.isTooDeep ||= errorCode(error) === "ENAMETOOLONG";
        if (errorCode(error) === "EACCES") room.closed.push(folder);
        return [];
    }
}

/**
 * Subtracts the size of folders' contents from `room`, as root of the user namespace of a process,
 * whom no folder's mode keeps out. Takes nothing if that is not possible.
 */
export async function measureAsRoot(
    process: number,
    folders: readonly string[],
    room: Room
): Promise<void> {
    const own = ["--preserve-credentials", "--user", "--target", String(process)];
    const options = { env: { PATH: SYSTEM_PATH }, timeout: FIND_MS, maxBuffer: FIND_BYTES };
    const find = ["find", ...folders, "-printf", "%b\\n"];
    const { stdout } = await run("nsenter", [...own, ...find], options).catch(() => ({
        stdout: "",
    }));
    for (const [blocks] of stdout.matchAll(/\d+/g)) {
        room.files -= 1;
        room.bytes -= Number(blocks) * BLOCK;
    }
}

function sizeOf(file: string): number {
    const stats = attempt(() => lstatSync(Buffer.from(file, "latin1")));
    return (stats?.blocks ?? 0) * BLOCK;
}
