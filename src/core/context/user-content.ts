import type { ImagePart, Mode, TextPart } from "../../plugin/index.js";
import type { ContextLabel } from "../../plugin/records.js";
import type { ContextPart } from "../../plugin/index.js";
import { reminder } from "./reminder.js";

/** What the model has to know of the place, told once with the first message. */
export interface Surroundings {
    readonly root: string;
    readonly isRepository: boolean;
    readonly platform: string;
    /** `YYYY-MM-DD`. */
    readonly date: string;
}

/** What travels with one message of the user. */
export interface UserContext {
    readonly text: string;
    readonly mode: Mode;
    /** With the first message of a conversation only. */
    readonly surroundings?: Surroundings;
    /** What is due to be told of the project. */
    readonly parts?: readonly ContextPart[];
    /** What tools want repeated. */
    readonly reminders: Iterable<string>;
    /** What the model has to be told with this message only. */
    readonly notes?: Iterable<string>;
    /** Files the user attached. */
    readonly attachments?: readonly (TextPart | ImagePart)[];
}

/** A message as it is sent, and which of its parts are not the user's words. */
export interface ComposedMessage {
    readonly content: readonly (TextPart | ImagePart)[];
    readonly context: readonly ContextLabel[];
}

type LabelledPart = {
    readonly content: TextPart | ImagePart;
    readonly label?: Omit<ContextLabel, "part">;
};

/** The parts of a user message: what surrounds it first, what was typed last. */
export function userContent(message: UserContext): ComposedMessage {
    const { surroundings, mode, reminders, notes = [], attachments = [], parts = [] } = message;
    const labelled: readonly LabelledPart[] = [
        ...(surroundings ? [unlabelled(surroundingsText(surroundings))] : []),
        ...parts.map(({ text, kind, id }) => ({ content: textPart(text), label: { kind, id } })),
        ...(mode === "ask" ? [unlabelled(reminder("Ask mode: only read, change nothing."))] : []),
        ...[...reminders].map(unlabelled),
        ...[...notes].map((note) => unlabelled(reminder(note))),
        ...attachments.map((content) => ({ content, label: ATTACHED })),
        unlabelled(message.text),
    ];
    return {
        content: labelled.map(({ content }) => content),
        context: labelled.flatMap(({ label }, part) => (label ? [{ part, ...label }] : [])),
    };
}

const ATTACHED = { kind: "attachments", id: "" } as const;

function unlabelled(text: string): LabelledPart {
    return { content: textPart(text) };
}

function textPart(text: string): TextPart {
    return { type: "text", text };
}

function surroundingsText({ root, isRepository, platform, date }: Surroundings): string {
    const kind = isRepository ? "a git repository" : "a folder without version control";
    return reminder(`Project root: ${root} (${kind}). System: ${platform}. Date: ${date}.`);
}
