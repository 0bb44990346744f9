import type { Mode, ModelInfo } from "../../plugin/index.js";
import type { Turn } from "../../core/agent/turn.js";
import { type ContextSource, partsDue } from "../../core/context/context-source.js";
import { mentionsIn } from "../../core/context/mentions.js";
import { type Surroundings, userContent } from "../../core/context/user-content.js";
import type { Conversation } from "../../core/conversation/fold.js";

/** What a message of the user is made from. */
export interface MessageOptions {
    readonly text: string;
    /** Where `@path` counts: what was typed, not what was piped in. */
    readonly typed: string;
    /** Files named on the command line, absolute. */
    readonly files: readonly string[];
    readonly mode: Mode;
    readonly model: ModelInfo;
    readonly state: Conversation;
    /** What else the model has to be told once. */
    readonly notes: readonly string[];
    readonly surroundings: Surroundings;
    /** The first message of this run in this conversation: files may have changed since the last. */
    readonly isFirst: boolean;
    readonly source: ContextSource;
    readonly signal: AbortSignal;
}

/** A message with all that travels with it, and what the user is told of that. */
export interface MessageToSend {
    readonly message: Turn["message"];
    readonly notices: readonly string[];
}

/** Gathers what is due, so that it is recorded with the message and never sent differently. */
export async function composeMessage(options: MessageOptions): Promise<MessageToSend> {
    const { text, mode, state, surroundings, source, signal } = options;
    const told = state.told.parts;
    const [beginning, memory, attachments] = await Promise.all([
        options.isFirst ? source.beginning(signal) : [],
        source.memory(told),
        source.attach({
            mentions: mentionsIn(options.typed),
            files: options.files,
            images: options.model.images === true,
            signal,
        }),
    ]);
    const general = partsDue([...beginning, ...memory], told);
    const known = new Map([...told, ...general.map((part) => [part.id, part] as const)]);
    const parts = [...general, ...(await source.forFiles(attachments.paths, known))];
    signal.throwIfAborted();
    const { content, context } = userContent({
        text,
        mode,
        ...(state.messages.length === 0 ? { surroundings } : {}),
        parts,
        reminders: state.reminders.values(),
        notes: [...state.notes, ...options.notes],
        attachments: attachments.parts,
    });
    const message = { text, content, ...(context.length > 0 ? { context } : {}) };
    return { message, notices: attachments.notices };
}
