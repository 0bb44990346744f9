/** Kinds of context, as summed up by `/context`. */
export type ContextKind =
    "project card" | "rules" | "AGENTS.md" | "profile" | "memory" | "attachments";

/** Project context sent along with a message. */
export interface ContextPart {
    readonly kind: ContextKind;
    /** Unique per subject; a later part with the same id replaces an earlier one. */
    readonly id: string;
    readonly text: string;
}
