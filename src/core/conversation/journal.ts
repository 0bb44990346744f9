import type { JournalRecord } from "../../plugin/index.js";

/** The append-only log of a conversation. `append` survives a process crash, `sync` any crash. */
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
