import type { ImagePart, Mode, TextPart } from "../../plugin/index.js";

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
    /** What tools want repeated. */
    readonly reminders: Iterable<string>;
    /** What the model has to be told with this message only. */
    readonly notes?: Iterable<string>;
    /** Files the user attached, as text for the model. */
    readonly attachments?: readonly (TextPart | ImagePart)[];
}

/** The parts of a user message: what surrounds it first, what was typed last. */
export function userContent(context: UserContext): readonly (TextPart | ImagePart)[] {
    const notes = [
        context.surroundings && surroundingsText(context.surroundings),
        context.mode === "ask" ? reminder("Ask mode: only read, change nothing.") : undefined,
        ...context.reminders,
        ...[...(context.notes ?? [])].map((note) => reminder(unmarked(note))),
    ].filter((note) => note !== undefined);
    return [
        ...notes.map((text): TextPart => ({ type: "text", text })),
        ...(context.attachments ?? []),
        { type: "text", text: context.text },
    ];
}

function surroundingsText({ root, isRepository, platform, date }: Surroundings): string {
    const kind = isRepository ? "a git repository" : "a folder without version control";
    return reminder(`Project root: ${root} (${kind}). System: ${platform}. Date: ${date}.`);
}

/** A path in a note must not be able to end it. */
function unmarked(text: string): string {
    return text.replace(/<(?=\/?system-reminder)/gi, "‹");
}

function reminder(text: string): string {
    return `<system-reminder>\n${text}\n</system-reminder>`;
}
