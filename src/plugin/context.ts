/** Kinds of context, as `/context` adds them up. */
export type ContextKind =
    "project card" | "rules" | "AGENTS.md" | "profile" | "memory" | "attachments";

/** A text about the project that is sent along with a message. */
export interface ContextPart {
    readonly kind: ContextKind;
    /** Unique per subject: a later part with the same id replaces an earlier one. */
    readonly id: string;
    readonly text: string;
}
