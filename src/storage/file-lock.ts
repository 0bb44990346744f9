import fs from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { NorthError } from "../plugin/north-error.js";
import { makeFolder } from "./make-folder.js";
import { asWriteError, errorCode, isAbsent } from "./storage-error.js";

const STALE_MS = 2000;
const WAIT_MS = 10_000;

/** A lock that is held. */
export interface Lease {
    /**
     * To be called right before the work becomes visible. Rejects with `locked` if another process
     * has taken the lock over, because this one was suspended for longer than the stale time.
     */
    assertHeld(): Promise<void>;
}

const queues = new Map<string, Promise<unknown>>();

/**
 * Does `work` while no other process and no other call in this one holds the lock of `file`, which
 * need not exist. The lock of a killed process is taken over after 2 to 3 seconds. Rejects with
 * `locked` when it does not come free within `waitMs`.
 */
export async function withLock<T>(
    file: string,
    work: (lease: Lease) => Promise<T>,
    { waitMs = WAIT_MS } = {}
): Promise<T> {
    // Calls of one process queue up in memory: cheaper and fairer than polling the disk.
    const previous = queues.get(file) ?? Promise.resolve();
    const turn = previous.catch(() => {}).then(() => lockAndWork(file, work, waitMs));
    queues.set(file, turn);
    try {
        return await turn;
    } finally {
        if (queues.get(file) === turn) queues.delete(file);
    }
}

async function lockAndWork<T>(
    file: string,
    work: (lease: Lease) => Promise<T>,
    waitMs: number
): Promise<T> {
    const lock = await acquire(file, waitMs);
    try {
        return await work(lock);
    } finally {
        await lock.release();
    }
}

interface HeldLock extends Lease {
    release(): Promise<void>;
}

async function acquire(file: string, waitMs: number): Promise<HeldLock> {
    const deadline = Date.now() + waitMs;
    try {
        makeFolder(path.dirname(file));
        for (;;) {
            const lock = await tryLock(file);
            if (lock) return lock;
            if (Date.now() > deadline) throw lockedError(file, "Another North holds");
            await delay(3 + Math.random() * 20);
        }
    } catch (error) {
        throw asWriteError(error, file);
    }
}

async function tryLock(file: string): Promise<HeldLock | undefined> {
    const { default: lockfile } = await import("proper-lockfile");
    const watched = watchedFileSystem();
    let isLost = false;
    try {
        const release = await lockfile.lock(file, {
            realpath: false,
            stale: STALE_MS,
            fs: watched.fileSystem,
            onCompromised: () => (isLost = true),
        });
        watched.isHeld = true;
        return {
            async assertHeld() {
                if (isLost || !(await watched.isOurs(`${file}.lock`))) {
                    throw lockedError(file, "Another North took over");
                }
            },
            async release() {
                // Releasing a lock that was taken over would remove the new holder's.
                if (await watched.isOurs(`${file}.lock`)) await release().catch(() => {});
            },
        };
    } catch (error) {
        if (errorCode(error) === "ELOCKED") return undefined;
        throw error;
    }
}

function lockedError(file: string, what: string): NorthError {
    return new NorthError("locked", `${what} the lock of ${file}.`, [
        "Try again in a moment.",
        `If no other North is running, delete the folder ${file}.lock.`,
    ]);
}

type Done = (error: NodeJS.ErrnoException | null) => void;

/**
 * The file operations handed to proper-lockfile, with two gaps closed. It removes a stale lock in
 * two steps, so that of two processes that find one at the same time the slower removes the lock
 * the faster has just made; and it does not tell which time stamps mark a lock as its own.
 */
function watchedFileSystem() {
    const stamps = new Set<number>();
    const watched = {
        isHeld: false,
        async isOurs(lockFolder: string): Promise<boolean> {
            const status = await stat(lockFolder).catch(() => undefined);
            return status !== undefined && stamps.has(status.mtime.getTime());
        },
        fileSystem: {
            mkdir: fs.mkdir,
            stat: fs.stat,
            rmdirSync: fs.rmdirSync,
            utimes(file: string, accessed: Date, modified: Date, done: Done) {
                const time = modified.getTime();
                stamps.add(time);
                // Some file systems keep whole seconds.
                stamps.add(time - (time % 1000));
                fs.utimes(file, accessed, modified, done);
            },
            rmdir(folder: string, done: Done) {
                if (watched.isHeld) return fs.rmdir(folder, done);
                removeStaleLock(folder).then(() => done(null), done);
            },
        },
    };
    return watched;
}

/** Removes a stale lock; one process at a time, and only if it is still stale then. */
async function removeStaleLock(folder: string): Promise<void> {
    const guard = `${folder}.stale`;
    await claimGuard(guard);
    try {
        if (!(await isOlderThan(folder, STALE_MS))) throw busy();
        fs.rmdirSync(folder);
    } catch (error) {
        if (!isAbsent(error)) throw error;
    } finally {
        fs.rmdirSync(guard);
    }
}

async function claimGuard(guard: string): Promise<void> {
    try {
        fs.mkdirSync(guard);
    } catch (error) {
        if (errorCode(error) !== "EEXIST") throw error;
        // Held for microseconds; an old one is from a process killed in between.
        if (await isOlderThan(guard, STALE_MS)) fs.rmSync(guard, { recursive: true, force: true });
        throw busy();
    }
}

async function isOlderThan(folder: string, age: number): Promise<boolean> {
    return (await stat(folder)).mtimeMs < Date.now() - age;
}

function busy(): Error {
    return Object.assign(new Error("The lock is in use"), { code: "ELOCKED" });
}
