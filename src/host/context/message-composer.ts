import type { Mode, ModelInfo } from "../../plugin/index.js";
import type { Turn } from "../../core/agent/turn.js";
import type { ContextPart } from "../../plugin/index.js";
import { partsDue } from "../../core/context/context-source.js";
import { mentionsIn } from "../../core/context/mentions.js";
import { type Surroundings, userContent } from "../../core/context/user-content.js";
import type { Conversation } from "../../core/conversation/fold.js";
import type { FileContextSource } from "./context-source.js";

/** What a message of the user is made from. */
export interface MessageOptions {
    readonly text: string;
    /** Where `@path` counts: what was typed, not what was piped in. */
    readonly typed: string;
    readonly mode: Mode;
    readonly model: ModelInfo;
    readonly state: Conversation;
    /** What else the model has to be told once. */
    readonly notes: readonly string[];
    readonly signal: AbortSignal;
}

/** A message with all that travels with it, and what the user is told of that. */
export interface MessageToSend {
    readonly message: Turn["message"];
    readonly notices: readonly string[];
}

/** Gathers what is due, so that it is recorded with the message and never sent differently. */
export class MessageComposer {
    /** The conversation that was told what conversations begin with, as it is in this run. */
    private begun: Conversation | undefined;

    /** `files` are those named on the command line, absolute; they go with the first message. */
    constructor(
        private readonly source: FileContextSource,
        private readonly surroundings: Surroundings,
        private files: readonly string[]
    ) {}

    /** Begins in the background what the next message needs, if it is the first. */
    prepare(state: Conversation): void {
        if (this.begun !== state) this.source.prepare();
    }

    /** Tells with the next message what is due, as at the beginning: a file may have come. */
    beginAgain(): void {
        this.begun = undefined;
    }

    async compose(options: MessageOptions): Promise<MessageToSend> {
        const { text, typed, mode, model, state, notes, signal } = options;
        const [general, attachments] = await Promise.all([
            this.generalParts(state, signal),
            this.source.attach({
                mentions: mentionsIn(typed),
                files: this.files,
                images: model.images === true,
                signal,
            }),
        ]);
        const known = new Map([
            ...state.told.parts,
            ...general.map((part) => [part.id, part] as const),
        ]);
        const special = await this.source.forFiles(attachments.paths, known);
        signal.throwIfAborted();
        const { content, context } = userContent({
            text,
            mode,
            ...(state.messages.length === 0 ? { surroundings: this.surroundings } : {}),
            parts: [...general, ...special],
            reminders: state.reminders.values(),
            notes: [...state.notes, ...notes],
            attachments: attachments.parts,
        });
        this.begun = state;
        this.files = [];
        const message = { text, content, ...(context.length > 0 ? { context } : {}) };
        return { message, notices: attachments.notices };
    }

    /** Files may have changed since a conversation was left: what differs is told again. */
    private async generalParts(state: Conversation, signal: AbortSignal): Promise<ContextPart[]> {
        const told = state.told.parts;
        const [beginning, memory] = await Promise.all([
            this.begun === state ? [] : this.source.beginning(signal),
            this.source.memory(told),
        ]);
        return partsDue([...beginning, ...memory], told);
    }
}
