import type { ContextLabel, ContextPart, ImagePart, Mode, TextPart } from "../../plugin/index.js";
import type { AttachedPart } from "./attachments.js";
import { visibleLine } from "../../base/safe-text.js";
import { reminder } from "./reminder.js";

/** The environment, described once with the first message. */
export interface Environment {
    readonly root: string;
    readonly isRepository: boolean;
    /** Where the user is below the root, relative to it. */
    readonly folder?: string;
    readonly platform: string;
    /** The user's day, `YYYY-MM-DD`. */
    readonly date: string;
}

interface UserContext {
    readonly text: string;
    readonly mode: Mode;
    /** Only with the first message of a conversation. */
    readonly environment?: Environment;
    /** Project context to send. */
    readonly parts?: readonly ContextPart[];
    readonly reminders: Iterable<string>;
    /** Notes for this message only. */
    readonly notes?: Iterable<string>;
    readonly attachments?: readonly AttachedPart[];
}

/** A message ready to send, with labels for the parts that are not the user's words. */
interface ComposedMessage {
    readonly content: readonly (TextPart | ImagePart)[];
    readonly context: readonly ContextLabel[];
}

type LabelledPart = {
    readonly content: TextPart | ImagePart;
    readonly label?: Omit<ContextLabel, "part">;
};

/** The parts of a user message: context first, the typed text last. */
export function userContent(message: UserContext): ComposedMessage {
    const { environment, mode, reminders, notes = [], attachments = [], parts = [] } = message;
    const labelled: readonly LabelledPart[] = [
        ...(environment ? [unlabelled(environmentText(environment))] : []),
        ...parts.map(({ text, ...label }) => ({ content: textPart(text), label })),
        ...(MODE_REMINDERS[mode] ?? []).map((text) => unlabelled(reminder(text))),
        ...[...reminders].map(unlabelled),
        ...[...notes].map((note) => unlabelled(reminder(note))),
        ...attachments.map(({ content, origin }) => ({
            content,
            label: { kind: "attachments", id: "", origin },
        })),
        unlabelled(message.text),
    ];
    return {
        content: labelled.map(({ content }) => content),
        context: labelled.flatMap(({ label }, part) => (label ? [{ part, ...label }] : [])),
    };
}

/** Repeated with each message of a mode. */
const MODE_REMINDERS: { readonly [Name in Mode]?: readonly string[] } = {
    ask: ["Ask mode: only read, change nothing."],
    plan: [
        "Plan mode: only read, change nothing; calls that would change something are refused. Find out what the task needs, and ask what only the user knows. End with the plan and nothing else, in Markdown: the goal, numbered steps with their files, how to verify. The user may edit it, and you then carry out exactly that.",
    ],
};

function unlabelled(text: string): LabelledPart {
    return { content: textPart(text) };
}

function textPart(text: string): TextPart {
    return { type: "text", text };
}

function environmentText({ root, isRepository, folder, platform, date }: Environment): string {
    const kind = isRepository ? "a git repository" : "a folder without version control";
    // Security: the repository chooses the names of its folders.
    const place = folder === undefined ? "" : ` The user is in ${visibleLine(folder)}.`;
    return reminder(`Project root: ${root} (${kind}).${place} System: ${platform}. Date: ${date}.`);
}
