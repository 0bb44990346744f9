/**
 * A program that runs contained until it is stopped, such as a language server. It sees the project
 * as commands do, without secrets and network, and what it writes is discarded.
 */
export interface ContainedProcess {
    /** Sends bytes to its standard input. A process that leaves more than 32 MB unread is stopped. */
    write(bytes: Uint8Array): void;
    /**
     * Changes what it sees of the project, while the project itself does not change: contents of
     * files by path relative to the root, `null` for a missing file. Resolves once it sees them.
     * Rejects with `process-ended`, and with `invalid-content` for content with NUL bytes.
     */
    show(files: ReadonlyMap<string, Uint8Array | null>): Promise<void>;
    /** Resolves with the reason: `it exited with 1: no such file`. */
    readonly ended: Promise<string>;
    stop(): void;
}

/**
 * Starts a bash command as a contained process in the root of the project. It ends with the session
 * at the latest. Rejects with `containment-failed` where this is impossible.
 */
export type StartContained = (
    command: string,
    options: {
        /** Receives its standard output, decoded as UTF-8. */
        onOutput(text: string): void;
    }
) => Promise<ContainedProcess>;
