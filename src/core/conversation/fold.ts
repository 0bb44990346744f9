import type {
    AssistantEntry,
    ChangeEntry,
    Entry,
    HostNoteEntry,
    JournalRecord,
    Message,
    NestedOrigin,
    TextPart,
    ThinkingChoice,
    ToolResultEntry,
    UserEntry,
    UserMessage,
} from "../../plugin/index.js";
import { contextTokensOf } from "../costs/price.js";
import { closeCalls, type OpenCalls, replyMessage, resultPart } from "./reply-messages.js";
import { draftAfter, NO_DRAFT } from "../draft/open-draft.js";
import { SentContext } from "./sent-context.js";

export interface MessageStart {
    readonly entryId: string;
    readonly index: number;
}

/**
 * The state that a log's records fold into. Incremental, so that a turn costs the same early and
 * late in a conversation. Rereading a log yields the same messages, as far as a provider can tell.
 */
export class Conversation {
    id = "";
    /** The user's name for it; empty if unnamed. */
    name = "";
    root = "";
    provider = "";
    model = "";
    /** Set only in a nested run. */
    nested: NestedOrigin | undefined;
    thinking: ThinkingChoice = { on: false };
    /** When the conversation started, in milliseconds since 1970. */
    startedAt = 0;
    readonly entries: Entry[] = [];
    /** Requests whose replies are no entries. */
    readonly billedBeside: Pick<AssistantEntry, "usage" | "costUsd">[] = [];
    /** Number of leading entries inherited from the conversation it was forked from. */
    inheritedEntries = 0;
    /** The messages to send. Valid after `closeOpenCalls`: one result per call. */
    readonly messages: Message[] = [];
    /** The version of each file that the model last saw. */
    readonly observed = new Map<string, string | null>();
    /** Changes announced but not confirmed, by id; after a kill, their outcome is unknown. */
    readonly begunChanges = new Map<string, ChangeEntry>();
    draft = NO_DRAFT;
    /** Reminders to repeat with the next user message, by tool name. */
    readonly reminders = new Map<string, string>();
    /** Notes to send once, with the user's next message. */
    readonly notes: string[] = [];
    readonly context = new SentContext();
    /** Context size in tokens as last reported by a provider; 0 if no report applies. */
    contextTokens = 0;
    /** Number of messages that this report covers. */
    reportedMessages = 0;
    /** Reported tokens per estimated token, for sizes that no report covers. Not stored. */
    estimateScale = 1;
    /** The first message is a summary of everything before. */
    isSummarized = false;
    /** This model gave no usable summary; asking again would only cost again. */
    isSummarizedWithoutModel = false;

    private streaming: { readonly entry: AssistantEntry; readonly text: string[] } | undefined;
    private open: OpenCalls | undefined;
    /** Index of the interrupted reply's message, which a retry would replace. */
    private interruptedAt: number | undefined;
    private readonly messageIndex = new Map<string, number>();
    /** Notes waiting for the results of preceding calls. */
    private waitingNotes: HostNoteEntry[] = [];

    apply(record: JournalRecord): void {
        switch (record.type) {
            case "conversation_started":
                this.id = record.id;
                this.root = record.root;
                this.startedAt = record.at;
                this.provider = record.provider;
                this.model = record.model;
                this.nested = record.nested;
                this.name = "";
                this.inheritedEntries = this.entries.length;
                return;
            case "conversation_named":
                this.name = record.name;
                return;
            case "model_changed":
                this.provider = record.provider;
                this.model = record.model;
                // Another model counts tokens differently.
                this.contextTokens = 0;
                this.estimateScale = 1;
                this.isSummarizedWithoutModel = false;
                return;
            case "thinking_changed":
                this.thinking = record;
                return;
            case "root_changed":
                this.notes.push(`The project root is now ${record.root}, no longer ${this.root}.`);
                this.root = record.root;
                return;
            case "entry_added":
                return this.add(record.entry);
            case "change_begun":
                this.begunChanges.set(record.change.id, record.change);
                return;
            case "change_dropped":
                this.begunChanges.delete(record.id);
                return;
            case "entry_updated":
                return this.update(record);
            case "rolling_summary_set":
                this.isSummarizedWithoutModel = record.withoutModel === true;
                return this.summarize(record.summary, record.keepFrom);
            case "request_billed":
                this.billedBeside.push(record);
                return;
            case "conversation_ended":
                return;
            default:
                return record satisfies never;
        }
    }

    static of(records: readonly JournalRecord[]): Conversation {
        const conversation = new Conversation();
        for (const record of records) conversation.apply(record);
        return conversation;
    }

    /** Adds a result to each call without one, and ends a reply that was cut off. */
    closeOpenCalls(): void {
        if (this.streaming) this.finishReply({ ...this.streaming.entry, status: "interrupted" });
        if (!this.open) return;
        closeCalls(this.open);
        this.finishCalls();
    }

    /** Where a summary may end: not at results, nor at a reply that a retry would replace. */
    messageStarts(): readonly MessageStart[] {
        const end = this.interruptedAt ?? this.messages.length;
        return [...this.messageIndex]
            .map(([entryId, index]) => ({ entryId, index }))
            .filter(({ index }) => index < end);
    }

    private add(entry: Entry): void {
        switch (entry.kind) {
            case "user":
                this.closeOpenCalls();
                this.interruptedAt = undefined;
                this.notes.length = 0;
                this.entries.push(entry);
                this.noteContext(entry);
                return this.push(entry.id, { role: "user", content: entry.content });
            case "assistant":
                this.dropInterrupted();
                this.closeOpenCalls();
                this.entries.push(entry);
                this.streaming = { entry, text: [] };
                if (entry.status !== "streaming") this.finishReply(entry);
                return;
            case "tool_result":
                this.interruptedAt = undefined;
                this.entries.push(entry);
                return this.addResult(entry);
            case "host_note":
                // The note refers to the reply before it, so that reply must not be replaced.
                this.interruptedAt = undefined;
                this.entries.push(entry);
                return this.addNote(entry);
            case "change":
            case "drafted":
                this.begunChanges.delete(entry.id);
                this.draft = draftAfter(this.draft, entry);
                if (entry.undoes) this.notes.push(undoNote(entry.files));
                this.entries.push(entry);
                return;
            case "command":
                if (entry.told !== undefined) this.notes.push(entry.told);
                this.entries.push(entry);
                return;
            case "review":
                this.entries.push(entry);
                if (entry.status === "denied") this.open?.denied.add(entry.callId);
                return;
            default:
                return entry satisfies never;
        }
    }

    private update(record: Extract<JournalRecord, { type: "entry_updated" }>): void {
        const streaming = this.streaming;
        if (streaming?.entry.id !== record.id) return;
        if (record.appendText !== undefined) streaming.text.push(record.appendText);
        if (record.changes === undefined) return;
        const entry = { ...streaming.entry, ...record.changes };
        if (entry.status === "streaming") this.streaming = { entry, text: streaming.text };
        else this.finishReply(entry);
    }

    private finishReply(entry: AssistantEntry): void {
        const streamed = this.streaming?.text.join("") ?? "";
        this.streaming = undefined;
        const isCut = entry.content.length === 0 && streamed !== "";
        const content = isCut ? [{ type: "text" as const, text: streamed }] : entry.content;
        const finished = { ...entry, content };
        const position = this.entries.findLastIndex(({ id }) => id === entry.id);
        if (position >= 0) this.entries[position] = finished;
        const message = replyMessage(finished);
        if (message) {
            if (entry.status === "interrupted") this.interruptedAt = this.messages.length;
            this.push(entry.id, message);
        }
        this.noteUsage(entry);
        if (!message) return;
        const calls = message.content.filter((part) => part.type === "tool-call");
        if (calls.length > 0) this.open = { calls, results: new Map(), denied: new Set() };
    }

    // For a reply that broke off, it is unknown how much was counted.
    private noteUsage({ status, usage, content }: AssistantEntry): void {
        const tokens = usage && status === "complete" ? contextTokensOf(usage) : 0;
        if (tokens === 0) return;
        // What was refused was counted, but is not sent again: estimate what is in its place.
        const isWhole = !content.some((part) => "refusedInput" in part);
        this.contextTokens = isWhole ? tokens : tokens - (usage?.outputTokens ?? 0);
        this.reportedMessages = this.messages.length - (isWhole ? 0 : 1);
    }

    private dropInterrupted(): void {
        if (this.streaming) this.finishReply({ ...this.streaming.entry, status: "interrupted" });
        if (this.interruptedAt === undefined) return;
        this.messages.length = this.interruptedAt;
        this.interruptedAt = undefined;
        this.open = undefined;
    }

    private addResult(entry: ToolResultEntry): void {
        for (const { path, hash } of entry.observed ?? []) this.observed.set(path, hash);
        if (entry.reminder === "") this.reminders.delete(entry.name);
        else if (entry.reminder !== undefined) this.reminders.set(entry.name, entry.reminder);
        const { open } = this;
        const isAwaited = open?.calls.some(({ callId }) => callId === entry.callId);
        if (!open || !isAwaited || open.results.has(entry.callId)) return;
        const result = resultPart(entry);
        for (const note of entry.notes ?? []) {
            this.context.add(note, this.messages.length);
            this.context.addShare(result, note, note.text.length);
        }
        open.results.set(entry.callId, result);
        if (open.results.size === open.calls.length) this.finishCalls();
    }

    private addNote(entry: HostNoteEntry): void {
        for (const { path, hash } of entry.observed ?? []) this.observed.set(path, hash);
        if (this.open) this.waitingNotes.push(entry);
        else this.push(entry.id, { role: "user", content: [{ type: "text", text: entry.text }] });
    }

    private noteContext({ content, context = [] }: UserEntry): void {
        for (const { part: position, ...label } of context) {
            const part = content[position];
            if (part === undefined) continue;
            this.context.addShare(part, label);
            if (label.kind === "attachments" || part.type !== "text") continue;
            this.context.add({ ...label, text: part.text }, this.messages.length);
        }
    }

    private finishCalls(): void {
        if (!this.open) return;
        const { calls, results } = this.open;
        this.open = undefined;
        const content = calls.flatMap(({ callId }) => results.get(callId) ?? []);
        this.messages.push({ role: "tool", content });
        const notes = this.waitingNotes;
        this.waitingNotes = [];
        for (const note of notes) this.addNote(note);
    }

    private summarize(summary: string, keepFrom: string): void {
        const from = this.messageIndex.get(keepFrom) ?? this.messages.length;
        // Project context still applies when the messages that carried it are gone.
        const kept = this.context.gatherBefore(from).map(({ text, ...label }) => {
            const part: TextPart = { type: "text", text };
            this.context.addShare(part, label);
            return part;
        });
        const content: UserMessage["content"] = [...kept, { type: "text", text: summary }];
        this.messages.splice(0, from, { role: "user", content });
        this.isSummarized = true;
        this.contextTokens = 0;
        if (this.interruptedAt !== undefined) {
            const at = this.interruptedAt - from + 1;
            this.interruptedAt = at > 0 ? at : undefined;
        }
        for (const [id, index] of this.messageIndex) {
            if (index < from) this.messageIndex.delete(id);
            else this.messageIndex.set(id, index - from + 1);
        }
    }

    private push(entryId: string, message: Message): void {
        this.messageIndex.set(entryId, this.messages.length);
        this.messages.push(message);
    }
}

function undoNote(files: ChangeEntry["files"]): string {
    const paths = files.map(({ path, afterHash }) => path + (afterHash === null ? " (gone)" : ""));
    return `The user undid changes. These files are as they were before: ${paths.join(", ")}.`;
}
