import type { ContextPart, ImagePart, TextPart } from "../../plugin/index.js";
import type { ToldContext } from "../conversation/told-parts.js";
import type { Mention } from "./mentions.js";

/** Files the user attached, as they are sent. */
export interface Attachments {
    readonly parts: readonly (TextPart | ImagePart)[];
    /** Files of the repository among them, relative to its root. */
    readonly paths: readonly string[];
    /** What the user should know, one sentence each. */
    readonly notices: readonly string[];
}

/** What the user named to be attached. */
export interface AttachmentRequest {
    /** Words of the message that may be paths; those that are none stay text. */
    readonly mentions: readonly Mention[];
    /** Absolute paths that are known to exist. */
    readonly files: readonly string[];
    /** The model takes images. */
    readonly images: boolean;
    readonly signal: AbortSignal;
}

/**
 * Where the context of a conversation comes from. Parts that cannot be had are left out: rejects
 * only with a signal's reason.
 */
export interface ContextSource {
    /** What a conversation begins with, in the order in which it is sent. */
    beginning(signal: AbortSignal): Promise<readonly ContextPart[]>;
    /** What North remembers now; says so where something was told before and is gone. */
    memory(told: ToldContext): Promise<readonly ContextPart[]>;
    /** What goes with files that are touched (relative to the root) and was not told yet. */
    forFiles(paths: readonly string[], told: ToldContext): Promise<readonly ContextPart[]>;
    attach(request: AttachmentRequest): Promise<Attachments>;
}

/** The parts that were not told, or in other words. What a project is like is told once. */
export function partsDue(parts: readonly ContextPart[], told: ToldContext): ContextPart[] {
    return parts.filter(({ id, kind, text }) => {
        const known = told.get(id);
        return known === undefined || (kind !== "project card" && known.text !== text);
    });
}
