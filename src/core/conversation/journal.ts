import type { JournalRecord } from "../../plugin/index.js";

/**
 * The append-only log of one conversation. `append` survives a crash of the process, `sync` one of
 * the machine.
 */
export interface Journal {
    /**
     * Appends one record as one line. Throws an `ExpectedError` (`disk-full`, `log-not-writable`)
     * and leaves the log readable: a torn line never swallows the next record.
     */
    append(record: JournalRecord): void;
    /** Flushes to disk; called at the end of a turn. */
    sync(): Promise<void>;
    close(): Promise<void>;
}
