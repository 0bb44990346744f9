import type { ContextPart, ImagePart, TextPart } from "../../plugin/index.js";
import type { ToldContext } from "../conversation/told-parts.js";
import type { Mention } from "./mentions.js";

/** Attached files, ready to send. */
export interface Attachments {
    readonly parts: readonly (TextPart | ImagePart)[];
    /** Those inside the repository, relative to its root. */
    readonly paths: readonly string[];
    /** Notices for the user, one sentence each. */
    readonly notices: readonly string[];
}

export interface AttachmentRequest {
    /** Words of the message that may be paths; the others stay text. */
    readonly mentions: readonly Mention[];
    /** Absolute paths of existing files. */
    readonly files: readonly string[];
    readonly images: boolean;
    /** Asks the user; absent where nobody can be asked. */
    readonly permit?: (sentence: string) => Promise<boolean>;
    readonly signal: AbortSignal;
}

/**
 * Provides a conversation's context. Unavailable parts are left out: rejects only with a signal's
 * reason.
 */
export interface ContextSource {
    /** The context of a new conversation, in the order sent. */
    beginning(signal: AbortSignal): Promise<readonly ContextPart[]>;
    /** North's current memory; announces removals of earlier entries. */
    memory(told: ToldContext): Promise<readonly ContextPart[]>;
    /** New context for touched files (relative to the root). */
    forFiles(paths: readonly string[], told: ToldContext): Promise<readonly ContextPart[]>;
    attach(request: AttachmentRequest): Promise<Attachments>;
}

/** Parts that are new or changed. The project card is sent only once. */
export function partsDue(parts: readonly ContextPart[], told: ToldContext): ContextPart[] {
    return parts.filter(({ id, kind, text }) => {
        const known = told.get(id);
        return known === undefined || (kind !== "project card" && known.text !== text);
    });
}
