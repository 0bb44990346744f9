import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { attempt } from "../base/attempt.js";
import { HAS_PROC, processStatus } from "../base/process-identity.js";
import { absoluteSearchPath } from "../base/search-path.js";
import { SESSION_VARIABLE } from "./environment.js";

/** A running process; zombies do not count. */
export interface ProcessEntry {
    readonly pid: number;
    readonly parent: number;
    readonly group: number;
    /** It has the session's terminal or variable. */
    readonly isMarked: boolean;
}

export interface SessionMark {
    /** The PID of the shell, which is the session leader. */
    readonly shell: number;
    readonly id: string;
    /** The terminal device, such as `/dev/ttys003`. */
    readonly terminal: string;
}

/** All process ids, cheaply. */
export async function processIds(): Promise<ReadonlySet<number>> {
    if (HAS_PROC) return new Set(procIds());
    const table = await runPs(["-A", "-o", "pid="]);
    return new Set(table.split("\n").map(Number));
}

export async function processTable(mark: SessionMark): Promise<readonly ProcessEntry[]> {
    if (HAS_PROC) return procIds().flatMap((pid) => readEntry(pid, mark) ?? []);
    // macOS: `-E` prints the environment after the command.
    const columns = "pid=,ppid=,pgid=,stat=,tty=,command=";
    return parseTable(await runPs(["-A", "-E", "-ww", "-o", columns]), mark);
}

/** The foreground process group of the shell's terminal; `undefined` if the shell is gone. */
export async function foregroundGroup(shell: number): Promise<number | undefined> {
    const group = HAS_PROC
        ? readStatus(shell)?.foreground
        : Number(await runPs(["-o", "tpgid=", "-p", String(shell)]).catch(() => ""));
    return group !== undefined && group > 1 ? group : undefined;
}

/** Parses `ps` output, on systems without `/proc`. */
export function parseTable(table: string, mark: SessionMark): readonly ProcessEntry[] {
    const tty = mark.terminal.replace(/^\/dev\//, "");
    return table.split("\n").flatMap((line) => {
        const [, pid, parent, group, state, terminal, command] =
            /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+((?:\S.*)?)$/.exec(line) ?? [];
        if (command === undefined || state?.startsWith("Z")) return [];
        const isMarked = terminal === tty || command.includes(`${SESSION_VARIABLE}=${mark.id}`);
        return [{ pid: Number(pid), parent: Number(parent), group: Number(group), isMarked }];
    });
}

function procIds(): number[] {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function readEntry(pid: number, mark: SessionMark): ProcessEntry | undefined {
    const status = readStatus(pid);
    if (!status) return undefined;
    const { parent, group, session } = status;
    return { pid, parent, group, isMarked: session === mark.shell || hasVariable(pid, mark.id) };
}

/** Returns `undefined` for dead processes. */
function readStatus(pid: number) {
    const [state, parent, group, session, , foreground] = processStatus(pid) ?? [];
    if (state === undefined || state === "Z" || state === "X") return undefined;
    return {
        parent: Number(parent),
        group: Number(group),
        session: Number(session),
        foreground: Number(foreground),
    };
}

function hasVariable(pid: number, id: string): boolean {
    const variables = attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1"), "");
    return variables.includes(`${SESSION_VARIABLE}=${id}`);
}

async function runPs(options: readonly string[]): Promise<string> {
    const env = { PATH: absoluteSearchPath() };
    const limits = { maxBuffer: 64 * 1024 * 1024, timeout: 5000, env };
    const { stdout } = await promisify(execFile)("ps", [...options], limits);
    return stdout;
}
