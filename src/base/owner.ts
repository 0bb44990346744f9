import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { sha256 } from "./sha256.js";
import { isProcessAlive, processStart } from "./process-identity.js";

export const OWNER = /([0-9a-f]{8})-(\d+)-([^/]*)-[0-9a-f]{12}/u;
const WHOLE_OWNER = new RegExp(`^${OWNER.source}$`, "u");

const host = sha256(hostname()).slice(0, 8);
let ownStart: Promise<string> | undefined;

/** This process as host, pid, start time and a nonce: a unique name for each thing it holds. */
export async function describeOwner(): Promise<string> {
    ownStart ??= startOf(process.pid);
    return `${host}-${process.pid}-${await ownStart}-${randomBytes(6).toString("hex")}`;
}

/** The pid of an owner on any machine; `undefined` for any other text. */
export function ownerProcess(owner: string): number | undefined {
    const pid = WHOLE_OWNER.exec(owner)?.[2];
    return pid === undefined ? undefined : Number(pid);
}

/** Whether the owner is this process, or an earlier one with the same pid. */
export function isOwn(owner: string): boolean {
    return owner.startsWith(`${host}-${process.pid}-`);
}

/**
 * Whether the owner has exited. On another machine, it counts as gone once what it holds is older
 * than `longestMs`.
 */
export async function isGone(
    owner: string,
    ageMs: () => number,
    longestMs: number
): Promise<boolean> {
    const [, machine, pid, start] = WHOLE_OWNER.exec(owner) ?? [];
    // Checked whatever the host name: some machines change theirs with the network.
    if (isProcessAlive(Number(pid)) && (await isSameStart(Number(pid), start))) return false;
    return machine === host || ageMs() > longestMs;
}

async function isSameStart(pid: number, start: string | undefined): Promise<boolean> {
    const current = await startOf(pid);
    return !start || current === "" || sanitize(start) === current;
}

async function startOf(pid: number): Promise<string> {
    return sanitize((await processStart(pid)) ?? "");
}

/** Used in folder names; macOS reports a date with spaces and colons. */
function sanitize(start: string): string {
    return start.replace(/\W/g, "_");
}
