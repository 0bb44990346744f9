/** Something that must end with North. */
export interface Closable {
    /** Starts a clean shutdown. */
    close(): void;
    /** Kills whatever is left. */
    kill(): void;
}

const open = new Set<Closable>();

// By now closed inputs have given servers a chance to end.
process.once("exit", () => {
    for (const connection of open) connection.kill();
});

export function keepTrack(connection: Closable): void {
    open.add(connection);
}

export function isOver(connection: Closable): void {
    open.delete(connection);
}

/** Does not wait: North gives remaining processes a second, then exits. */
export function closeAll(): void {
    for (const connection of open) connection.close();
}
