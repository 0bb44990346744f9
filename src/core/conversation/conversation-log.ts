import type { Observer } from "../../plugin/index.js";
import type { Log } from "../log.js";
import { Conversation } from "./fold.js";
import type { Journal } from "./journal.js";
import type { JournalRecord } from "../../plugin/records.js";

/** A log that is open for appending, and what it holds already. */
export interface OpenedLog {
    readonly journal: Journal;
    readonly records: readonly JournalRecord[];
}

/**
 * A conversation and its log, kept in step: every record is stored, then folded, then told to the
 * observers. The log is opened by the first turn, so that a conversation in which nothing was said
 * leaves no trace.
 */
export class ConversationLog {
    readonly state = new Conversation();
    private journal: Journal | undefined;

    constructor(
        readonly id: string,
        private readonly open: () => Promise<OpenedLog>,
        private readonly observers: readonly Observer[],
        private readonly log: Log
    ) {}

    get isOpen(): boolean {
        return this.journal !== undefined;
    }

    /** Opens the log if that has not been done. */
    async begin(): Promise<void> {
        if (this.journal) return;
        const { journal, records } = await this.open();
        this.journal = journal;
        for (const record of records) this.state.apply(record);
    }

    /** Stores a record; throws what the journal throws, and then nothing has happened. */
    record(record: JournalRecord): void {
        if (!this.journal) throw new Error("The conversation's log is not open.");
        this.journal.append(record);
        this.state.apply(record);
        for (const observer of this.observers) this.tell(observer, record);
    }

    async sync(): Promise<void> {
        await this.journal?.sync();
    }

    /** Ends the log; nothing can be recorded after it. */
    async close(at: number): Promise<void> {
        const { journal } = this;
        if (!journal) return;
        try {
            this.record({ type: "conversation_ended", at });
            await journal.sync();
        } finally {
            this.journal = undefined;
            await journal.close();
        }
    }

    private tell(observer: Observer, record: JournalRecord): void {
        try {
            observer.observe(record);
        } catch (error) {
            this.log.event("error", "observer_failed", {
                observer: observer.name,
                error: String(error),
            });
        }
    }
}
