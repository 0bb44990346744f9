import {
    lstatSync,
    lutimesSync,
    mkdirSync,
    readdirSync,
    readlinkSync,
    renameSync,
    rmSync,
    symlinkSync,
    unlinkSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { sleep } from "../../base/waiting.js";
import { NorthError } from "../../base/north-error.js";
import { makeFolder } from "./make-folder.js";
import { describeOwner, isGone, ownerProcess } from "../../base/owner.js";
import { errorCode, isAbsent } from "../../base/system-error.js";
import { asWriteError } from "./storage-error.js";

const WAIT_MS = 10_000;
/** Max time a lock may be held; on another machine, age is the only sign of a dead owner. */
const MAX_MS = 60_000;
/** The wait restarts whenever the lock changes hands; this bounds the total. */
const MAX_WAITS = 10;

export interface Lease {
    /** Call right before committing. Rejects with `locked` if the lock was lost meanwhile. */
    readonly assertHeld: () => Promise<void>;
}

const queues = new Map<string, Promise<unknown>>();

/**
 * Runs `work` while holding the lock of `file`, exclusive across processes and within this one. The
 * file need not exist. Takes over the lock of a killed process at once. Rejects with `locked` if
 * one owner keeps it for `waitMs`.
 */
export async function withLock<T>(
    file: string,
    work: (lease: Lease) => Promise<T>,
    { waitMs = WAIT_MS } = {}
): Promise<T> {
    // Callers in one process queue in memory: cheaper and fairer than polling the disk.
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
    const path = `${file}.lock`;
    const end = Date.now() + MAX_WAITS * waitMs;
    let deadline = 0;
    let owner: string | undefined;
    for (;;) {
        const claim = await claimLock(path, file);
        if (claim.kind === "held") {
            try {
                return await work(claim);
            } finally {
                claim.release();
            }
        }
        if (claim.owner !== owner) {
            owner = claim.owner;
            deadline = Math.min(Date.now() + waitMs, end);
        }
        if (Date.now() > deadline) {
            throw lockedError(path, `Another North (process ${claim.process}) holds`);
        }

        await sleep(3 + Math.random() * 20);
    }
}

export interface HeldLock extends Lease {
    readonly kind: "held";
    release(): void;
}

type Claim =
    | HeldLock
    | { readonly kind: "busy"; readonly owner: string; readonly process: number | undefined };

// A lock is a dangling symlink: created atomically, with its owner as the target, so it needs no
// refreshing (a suspended process could not refresh it). File systems without symlinks (FAT, some
// network drives) get a folder instead, with one entry named after the owner. It is moved into
// place with an atomic rename, which fails if the target folder is not empty.

/** Tries to take a lock that is free or whose owner is dead; never waits. Errors name `guarded`. */
export async function claimLock(location: string, guarded = location): Promise<Claim> {
    try {
        makeFolder(path.dirname(location));
        const owner = await describeOwner();
        if (!claim(location, owner)) {
            await removeOrphan(location);
            if (!claim(location, owner)) {
                // Backups and synced folders may turn a link into a file, which nobody releases.
                if (lstatSync(location, { throwIfNoEntry: false })?.isFile()) {
                    const sentence = `${location} is a file, not a lock.`;
                    throw new NorthError("locked", sentence, ["Delete it and try again."]);
                }
                const other = ownerOf(location) ?? "";
                return { kind: "busy", owner: other, process: ownerProcess(other) };
            }
        }
        return {
            kind: "held",
            assertHeld: async () => {
                if (ownerOf(location) !== owner) {
                    throw lockedError(location, "Another North took over");
                }
            },
            release() {
                if (ownerOf(location) === owner) removeLock(location);
            },
        };
    } catch (error) {
        throw asWriteError(error, guarded);
    }
}

/** How often a lock held for long is renewed, so that other machines know its owner lives. */
const RENEW_MS = MAX_MS / 4;

/** Like `claimLock`, for as long as this process runs: other machines do not take it over. */
export async function holdLock(location: string): Promise<Claim> {
    const claimed = await claimLock(location);
    if (claimed.kind === "busy") return claimed;
    const renew = () => {
        const now = new Date();
        const touch = () => lutimesSync(location, now, now);
        void claimed
            .assertHeld()
            .then(touch)
            .catch(() => {});
    };
    const timer = setInterval(renew, RENEW_MS).unref();
    return {
        ...claimed,
        release() {
            clearInterval(timer);
            claimed.release();
        },
    };
}

/** Which live process holds a lock, and since when (milliseconds since 1970). */
export async function lockHolder(
    path: string
): Promise<{ readonly process: number; readonly since: number } | undefined> {
    const owner = ownerOf(path);
    const process = owner === undefined ? undefined : ownerProcess(owner);
    if (owner === undefined || process === undefined) return undefined;
    if (await isGone(owner, () => ageOf(path), MAX_MS)) return undefined;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    // A renewal changes only the time of modification; some disks do not store when a file was made.
    const times = [stats?.birthtimeMs, stats?.mtimeMs].filter((time) => time !== undefined);
    const since = Math.min(...times.filter((time) => time > 0), Date.now());
    return { process, since: Math.round(since) };
}

function claim(path: string, owner: string): boolean {
    try {
        symlinkSync(owner, path);
        return true;
    } catch (error) {
        const code = errorCode(error) ?? "";
        if (code === "EEXIST") return false;
        if (!WITHOUT_LINKS.has(code)) throw error;
        return claimByFolder(path, owner);
    }
}

const WITHOUT_LINKS = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

function claimByFolder(location: string, owner: string): boolean {
    const made = `${location}.${owner}`;
    mkdirSync(path.join(made, owner), { recursive: true, mode: 0o700 });
    try {
        renameSync(made, location);
        return true;
    } catch (error) {
        rmSync(made, { recursive: true, force: true });
        if (ownerOf(location) === undefined) throw error;
        return false;
    }
}

function ownerOf(path: string): string | undefined {
    try {
        return readlinkSync(path);
    } catch (error) {
        if (isAbsent(error)) return undefined;
        if (errorCode(error) !== "EINVAL") throw error;
        return entryOf(path);
    }
}

function entryOf(folder: string): string | undefined {
    try {
        return readdirSync(folder)[0];
    } catch (error) {
        // Something else with that name, not made by us.
        if (isAbsent(error) || errorCode(error) === "ENOTDIR") return undefined;
        throw error;
    }
}

function removeLock(path: string): void {
    try {
        unlinkSync(path);
    } catch (error) {
        if (isAbsent(error)) return;
        // Rename first, so that nobody sees a folder without an owner.
        const removed = `${path}.${randomBytes(6).toString("hex")}.removed`;
        renameSync(path, removed);
        rmSync(removed, { recursive: true, force: true });
    }
}

/**
 * Removes a lock whose owner is dead. If two processes find it, the slower one must not remove the
 * lock the faster one has since taken. So each first takes a lock on removing this particular one,
 * which is handled like any other lock if its owner is killed too.
 */
async function removeOrphan(path: string): Promise<void> {
    const owner = ownerOf(path);
    if (owner === undefined || !(await isGone(owner, () => ageOf(path), MAX_MS))) return;
    const right = `${path}.${owner.slice(owner.lastIndexOf("-") + 1)}`;
    if (!claim(right, await describeOwner())) return removeOrphan(right);
    try {
        if (ownerOf(path) === owner) removeLock(path);
    } finally {
        removeLock(right);
    }
}

export async function sweepLocks(folder: string): Promise<void> {
    const names = await readdir(folder);
    const locks = names.filter((name) => /\.(?:lock|holder)(?:\.|$)/.test(name));
    for (const name of locks) await removeOrphan(path.join(folder, name));
}

function ageOf(path: string): number {
    return Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function lockedError(path: string, what: string): NorthError {
    return new NorthError("locked", `${what} the lock ${path}.`, [
        "Try again in a moment.",
        `If no other North is running, delete ${path}.`,
    ]);
}
