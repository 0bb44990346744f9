import { groupBy } from "../base/group-by.js";
import { isProcessAlive } from "../base/process-identity.js";
import { sleep } from "../base/waiting.js";
import {
    foregroundGroup,
    type ProcessEntry,
    processTable,
    type SessionMark,
} from "./process-table.js";

const POLL = 20;
/** Max rounds: processes may fork during a scan, so kill until a scan finds none left. */
const KILL_ROUNDS = 4;

/** The processes started by a session's commands, and the shell itself. */
export class SessionProcesses {
    constructor(private readonly mark: SessionMark) {}

    /** Signals all, waits until they are gone, and kills the rest after the grace period. */
    async endAll(signals: readonly NodeJS.Signals[], graceMs: number): Promise<void> {
        await this.end(() => this.all(), signals, graceMs);
    }

    /** Ends those newer than `before` or in the foreground; jobs of earlier commands go on. */
    async endSince(
        before: ReadonlySet<number>,
        signals: readonly NodeJS.Signals[],
        graceMs: number
    ): Promise<void> {
        const foreground = await this.foreground();
        await this.end(() => this.startedSince(before, foreground), signals, graceMs);
    }

    private async end(
        find: () => Promise<readonly number[]>,
        signals: readonly NodeJS.Signals[],
        graceMs: number
    ): Promise<void> {
        const deadline = performance.now() + graceMs;
        let found = await find();
        for (const name of signals) for (const pid of found) signal(pid, name);
        while (found.length > 0 && performance.now() < deadline) {
            await untilGone(found, deadline);
            found = await find();
            if (performance.now() < deadline) for (const pid of found) signal(pid, "SIGTERM");
        }
        for (let round = 0; found.length > 0 && round < KILL_ROUNDS; round++) {
            for (const pid of found) signal(pid, "SIGKILL");
            await untilGone(found, performance.now() + 5 * POLL);
            found = await find();
        }
    }

    private async all(): Promise<readonly number[]> {
        return this.family(await processTable(this.mark)).map(({ pid }) => pid);
    }

    private async foreground(): Promise<number | undefined> {
        const group = await foregroundGroup(this.mark.shell);
        return group === this.mark.shell ? undefined : group;
    }

    private async startedSince(
        before: ReadonlySet<number>,
        foreground: number | undefined
    ): Promise<readonly number[]> {
        const table = await processTable(this.mark);
        const { shell } = this.mark;
        const isOld = (entry: ProcessEntry) => entry.pid !== shell && before.has(entry.pid);
        const family = this.family(table).filter(({ pid }) => pid !== shell);
        // New children of an older server belong to that server.
        const old = descendants(table, family.filter(isOld));
        return family
            .filter((entry) => entry.group === foreground || !old.has(entry.pid))
            .map(({ pid }) => pid);
    }

    /** Marked processes and their descendants, including the shell. */
    private family(table: readonly ProcessEntry[]): readonly ProcessEntry[] {
        const roots = table.filter(({ isMarked, pid }) => isMarked || pid === this.mark.shell);
        const members = descendants(table, roots);
        return table.filter(({ pid }) => members.has(pid));
    }
}

/** Sends a signal; ignores processes that are gone or not ours. */
export function signal(pid: number, name: NodeJS.Signals): void {
    try {
        process.kill(pid, name);
    } catch {
        // ESRCH or EPERM.
    }
}

function descendants(
    table: readonly ProcessEntry[],
    roots: readonly ProcessEntry[]
): ReadonlySet<number> {
    const children = groupBy(table, ({ parent }) => parent);
    const members = new Set<number>();
    const pending = roots.map(({ pid }) => pid);
    for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
        if (members.has(pid)) continue;
        members.add(pid);
        pending.push(...(children.get(pid) ?? []).map((child) => child.pid));
    }
    return members;
}

async function untilGone(pids: readonly number[], deadline: number): Promise<void> {
    while (pids.some(isProcessAlive) && performance.now() < deadline) await sleep(POLL);
}
