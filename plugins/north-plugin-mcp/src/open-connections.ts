/** What has to end with North. */
export interface Closable {
    /** Begins a clean end. */
    close(): void;
    /** Ends what is left, at once. */
    kill(): void;
}

const open = new Set<Closable>();

// When this comes, servers had their chance to end because their input was closed.
process.once("exit", () => {
    for (const connection of open) connection.kill();
});

export function keepTrack(connection: Closable): void {
    open.add(connection);
}

export function isOver(connection: Closable): void {
    open.delete(connection);
}

/** Not waited for: North gives a process that still runs a second, then exits. */
export function closeAll(): void {
    for (const connection of open) connection.close();
}
