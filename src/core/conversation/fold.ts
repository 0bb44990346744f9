import type {
    AssistantMessage,
    Message,
    ToolCallPart,
    ToolResultPart,
    UserMessage,
} from "../../plugin/index.js";
import type {
    AssistantEntry,
    ChangeEntry,
    Entry,
    HostNoteEntry,
    JournalRecord,
    ToolResultEntry,
} from "./records.js";

/** A reply that is still coming in. */
interface StreamingReply {
    readonly entry: AssistantEntry;
    readonly text: string[];
}

/** Calls of the last reply and the results that have come so far. */
interface OpenCalls {
    readonly calls: readonly ToolCallPart[];
    readonly results: Map<string, ToolResultPart>;
}

/**
 * What the records of a log amount to. It grows record by record, so that a turn costs the same
 * early and late in a conversation, and reading the log again gives the same messages, object for
 * object as far as a provider can tell.
 */
export class Conversation {
    id = "";
    root = "";
    provider = "";
    model = "";
    /** Where in the records' time the conversation began, in milliseconds since 1970. */
    startedAt = 0;
    /** Entries by id, in order; the whole transcript. */
    readonly entries: Entry[] = [];
    /** What is sent. Always valid once `closeOpenCalls` was called: one result for each call. */
    readonly messages: Message[] = [];
    /** The version of each file that the model last saw. */
    readonly observed = new Map<string, string | null>();
    /** What tools want repeated with the next user message, by tool name. */
    readonly reminders = new Map<string, string>();
    /** What the model has to be told once, with the next message of the user. */
    readonly notes: string[] = [];
    /** Tokens of the context as last reported by a provider. */
    contextTokens = 0;

    private streaming: StreamingReply | undefined;
    private open: OpenCalls | undefined;
    /** Where the message of an interrupted reply stands that a retry would replace. */
    private interruptedAt: number | undefined;
    private readonly messageIndex = new Map<string, number>();
    /** Notes that wait for the results of the calls before them. */
    private waitingNotes: HostNoteEntry[] = [];

    apply(record: JournalRecord): void {
        switch (record.type) {
            case "conversation_started":
                this.id = record.id;
                this.root = record.root;
                this.startedAt = record.at;
                this.provider = record.provider;
                this.model = record.model;
                return;
            case "model_changed":
                this.provider = record.provider;
                this.model = record.model;
                return;
            case "root_changed":
                this.notes.push(`The project root is now ${record.root}, no longer ${this.root}.`);
                this.root = record.root;
                return;
            case "entry_added":
                return this.add(record.entry);
            case "entry_updated":
                return this.update(record);
            case "rolling_summary_set":
                return this.summarize(record.summary, record.keepFrom);
            case "conversation_ended":
                return;
            default:
                return record satisfies never;
        }
    }

    /** Gives each call that has no result one that says so, and ends a reply that was cut off. */
    closeOpenCalls(): void {
        if (this.streaming) this.finishReply({ ...this.streaming.entry, status: "interrupted" });
        if (!this.open) return;
        const { calls, results } = this.open;
        for (const call of calls) {
            if (!results.has(call.callId)) results.set(call.callId, interruptedResult(call));
        }
        this.finishCalls();
    }

    private add(entry: Entry): void {
        switch (entry.kind) {
            case "user":
                this.closeOpenCalls();
                this.interruptedAt = undefined;
                this.notes.length = 0;
                this.entries.push(entry);
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
                // What it speaks of stays, so a reply before it is never one that was repeated.
                this.interruptedAt = undefined;
                this.entries.push(entry);
                return this.addNote(entry);
            case "change":
                if (entry.undoes) this.notes.push(undoNote(entry.files));
                this.entries.push(entry);
                return;
            case "review":
            case "command":
                this.entries.push(entry);
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
        const content =
            entry.content.length === 0 && streamed !== ""
                ? [{ type: "text" as const, text: streamed }]
                : entry.content;
        const finished = { ...entry, content };
        const place = this.entries.findLastIndex(({ id }) => id === entry.id);
        if (place >= 0) this.entries[place] = finished;
        if (entry.usage) this.contextTokens = contextTokensOf(entry.usage);
        const message = replyMessage(finished);
        if (!message) return;
        if (entry.status === "interrupted") this.interruptedAt = this.messages.length;
        this.push(entry.id, message);
        const calls = message.content.filter((part) => part.type === "tool-call");
        if (calls.length > 0) this.open = { calls, results: new Map() };
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
        if (entry.reminder !== undefined) {
            if (entry.reminder === "") this.reminders.delete(entry.name);
            else this.reminders.set(entry.name, entry.reminder);
        }
        const { open } = this;
        const isAwaited = open?.calls.some(({ callId }) => callId === entry.callId);
        if (!open || !isAwaited || open.results.has(entry.callId)) return;
        open.results.set(entry.callId, {
            type: "tool-result",
            callId: entry.callId,
            name: entry.name,
            content: entry.content,
            isError: !entry.ok,
        });
        if (open.results.size === open.calls.length) this.finishCalls();
    }

    private addNote(entry: HostNoteEntry): void {
        for (const { path, hash } of entry.observed ?? []) this.observed.set(path, hash);
        if (this.open) this.waitingNotes.push(entry);
        else this.push(entry.id, { role: "user", content: [{ type: "text", text: entry.text }] });
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
        const message: UserMessage = { role: "user", content: [{ type: "text", text: summary }] };
        this.messages.splice(0, from, message);
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

/** Everything the model has processed and said is what the next request will hold. */
export function contextTokensOf(usage: NonNullable<AssistantEntry["usage"]>): number {
    return (
        (usage.inputTokens ?? 0) +
        (usage.cacheReadTokens ?? 0) +
        (usage.cacheWriteTokens ?? 0) +
        (usage.cacheWriteLongTokens ?? 0) +
        (usage.outputTokens ?? 0)
    );
}

function interruptedResult(call: ToolCallPart): ToolResultPart {
    const error = {
        code: "interrupted",
        message: "Interrupted before it finished; its effect is unknown.",
        hint: "Look at the present state before doing it again.",
    };
    return {
        type: "tool-result",
        callId: call.callId,
        name: call.name,
        content: JSON.stringify({ ok: false, error }),
        isError: true,
    };
}

function undoNote(files: ChangeEntry["files"]): string {
    const paths = files.map(({ path, afterHash }) => path + (afterHash === null ? " (gone)" : ""));
    return `The user took changes back: these files are as they were before: ${paths.join(", ")}.`;
}

const MARKS = { cancelled: "[Cancelled]", interrupted: "[Interrupted]" } as const;

function replyMessage(entry: AssistantEntry): AssistantMessage | undefined {
    const content = entry.content.filter((part) => part.type !== "text" || part.text !== "");
    if (entry.status === "cancelled" || entry.status === "interrupted") {
        return { role: "assistant", content: marked(content, MARKS[entry.status]) };
    }
    return content.length > 0 ? { role: "assistant", content } : undefined;
}

/** The mark joins the text; calls stay last, as vendors want them. */
function marked(content: AssistantMessage["content"], mark: string): AssistantMessage["content"] {
    const calls = content.filter((part) => part.type === "tool-call");
    const rest = content.filter((part) => part.type !== "tool-call");
    const last = rest.at(-1);
    if (last?.type !== "text") return [...rest, { type: "text", text: mark }, ...calls];
    return [...rest.slice(0, -1), { type: "text", text: `${last.text}\n${mark}` }, ...calls];
}
