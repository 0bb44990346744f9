import { setTimeout } from "node:timers/promises";

/** Something that must end with North. */
export interface Closable {
    /** Starts a clean shutdown. */
    close(): void;
    isAlive(): boolean;
    /** Signals what is left of it. */
    kill(signal: NodeJS.Signals): void;
}

const open = new Set<Closable>();

/** How long a server may take to end once its input is closed, and again after SIGTERM. */
const GRACE_MS = 300;

// By now closed inputs and SIGTERM have given servers a chance to end.
process.once("exit", () => {
    for (const connection of open) connection.kill("SIGKILL");
});

export function keepTrack(connection: Closable): void {
    open.add(connection);
}

export function isOver(connection: Closable): void {
    open.delete(connection);
}

/** Ends all servers: closes their inputs, then sends SIGTERM, then SIGKILL. */
export async function closeAll(): Promise<void> {
    const closing = [...open];
    for (const connection of closing) connection.close();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        for (let waited = 0; waited < GRACE_MS && closing.some(isOpen); waited += POLL_MS) {
            await setTimeout(POLL_MS);
        }
        for (const connection of closing.filter(isOpen)) connection.kill(signal);
    }
    for (const connection of closing) open.delete(connection);
}

function isOpen(connection: Closable): boolean {
    return open.has(connection) && connection.isAlive();
}

const POLL_MS = 10;
