import type {
    JournalRecord,
    NestedOrigin,
    ObservedEvent,
    EventOrigin,
    Observer,
} from "../../plugin/index.js";
import type { Log } from "../log.js";
import { Conversation } from "./fold.js";

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

export interface OpenedLog {
    readonly journal: Journal;
    readonly records: readonly JournalRecord[];
}

export interface ConversationLogOptions {
    open(): Promise<OpenedLog>;
    readonly observers: readonly Observer[];
    readonly log: Log;
    /** Removes what must not be stored, and so never reaches a model. */
    redact?(record: JournalRecord): JournalRecord;
    readonly nested?: Partial<NestedOrigin> | undefined;
}

/**
 * A conversation in step with its log: every record is stored, folded, then passed to the
 * observers. The first turn opens the log, so an empty conversation leaves no trace.
 */
export class ConversationLog {
    readonly state = new Conversation();
    private journal: Journal | undefined;
    private opening: Promise<void> | undefined;
    private hasEnded = false;
    private readonly origin: EventOrigin;

    constructor(
        readonly id: string,
        private readonly options: ConversationLogOptions
    ) {
        const { parent: conversationId, callId } = options.nested ?? {};
        const isOfCall = conversationId !== undefined && callId !== undefined;
        this.origin = {
            conversationId: id,
            ...(isOfCall && { parent: { conversationId, callId } }),
        };
    }

    get isOpen(): boolean {
        return this.journal !== undefined;
    }

    /** Opens the log if it is not open. Rejects once the log has ended. */
    async begin(): Promise<void> {
        if (this.journal) return;
        if (this.hasEnded) throw new Error("The conversation's log has ended.");
        await (this.opening ??= this.openLog().finally(() => (this.opening = undefined)));
    }

    private async openLog(): Promise<void> {
        const { journal, records } = await this.options.open();
        this.journal = journal;
        for (const record of records) this.state.apply(record);
    }

    /** Stores a record. If the journal throws, nothing has changed. */
    record(given: JournalRecord): void {
        if (!this.journal) throw new Error("The conversation's log is not open.");
        const record = this.options.redact?.(given) ?? given;
        this.journal.append(record);
        this.state.apply(record);
        this.tell((observer) => observer.observe?.(record, this.origin));
    }

    /** Notifies observers of an event that is not stored. */
    observe(event: ObservedEvent): void {
        this.tell((observer) => observer.onEvent?.(event, this.origin));
    }

    async sync(): Promise<void> {
        await this.journal?.sync();
    }

    /** Ends the log; nothing can be recorded afterwards. */
    async close(at: number): Promise<void> {
        this.hasEnded = true;
        // An abandoned turn may be opening it, and would leave its lock behind.
        if (this.opening) await this.opening.catch(() => {});
        const { journal } = this;
        if (!journal) return;
        try {
            this.record({ type: "conversation_ended", at });
            // Immediately: an abandoned turn may be about to record something.
            this.journal = undefined;
            await journal.sync();
        } finally {
            this.journal = undefined;
            await journal.close();
        }
    }

    private tell(each: (observer: Observer) => unknown): void {
        for (const observer of this.options.observers) {
            const failed = (error: unknown) =>
                this.options.log.event("error", "observer_failed", {
                    observer: observer.name,
                    error: String(error),
                });
            try {
                // A plugin in plain JavaScript may return a promise.
                const told = each(observer);
                if (told instanceof Promise) told.catch(failed);
            } catch (error) {
                failed(error);
            }
        }
    }
}
