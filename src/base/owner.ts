import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { isProcessAlive, processStart } from "./process-identity.js";

const OWNER = /^([0-9a-f]{8})-(\d+)-(.*)-[0-9a-f]{12}$/u;

/** Nothing is locked for a minute; of a process on another machine this is all that can be told. */
const LONGEST_MS = 60_000;

const host = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
let ownStart: Promise<string> | undefined;

/** This process on this machine, and a chance number that tells its locks apart. */
export async function describeOwner(): Promise<string> {
    ownStart ??= startOf(process.pid);
    return `${host}-${process.pid}-${await ownStart}-${randomBytes(6).toString("hex")}`;
}

/** The id of the process that describes itself so. */
export function ownerProcess(owner: string): number | undefined {
    const pid = OWNER.exec(owner)?.[2];
    return pid === undefined ? undefined : Number(pid);
}

/** Whether that process has ended, or its id belongs to another one by now. */
export async function isGone(owner: string, ageMs: () => number): Promise<boolean> {
    const [, machine, pid, start] = OWNER.exec(owner) ?? [];
    // Looked up whatever the machine is called: some change their name with the network.
    if (isProcessAlive(Number(pid)) && (await isSameStart(Number(pid), start))) return false;
    return machine === host || ageMs() > LONGEST_MS;
}

async function isSameStart(pid: number, start: string | undefined): Promise<boolean> {
    const current = await startOf(pid);
    return start === "" || current === "" || start === current;
}

async function startOf(pid: number): Promise<string> {
    return ((await processStart(pid)) ?? "").replace(/\s/g, "_");
}
