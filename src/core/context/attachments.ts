import type { ImagePart, TextPart } from "../../plugin/index.js";
import type { Mention } from "./mentions.js";

export interface AttachedPart {
    readonly content: TextPart | ImagePart;
    readonly origin: string;
}

export interface Attachments {
    readonly parts: readonly AttachedPart[];
    /** Paths inside the repository, relative to its root. */
    readonly paths: readonly string[];
    /** Notices for the user, one sentence each. */
    readonly notices: readonly string[];
}

/** An attachment that is not an `@path` mention in the text. */
export type GivenAttachment =
    /** A file or folder, by its absolute path. */
    | { readonly kind: "file"; readonly path: string }
    | { readonly kind: "text"; readonly name: string; readonly text: string }
    /** `data` is base64. */
    | { readonly kind: "image"; readonly name: string; readonly data: string };

export interface AttachmentRequest {
    /** Words of the message that may be paths; others stay text. */
    readonly mentions: readonly Mention[];
    /** Absolute paths of existing files. */
    readonly files: readonly string[];
    readonly given?: readonly GivenAttachment[] | undefined;
    readonly images: boolean;
    /** Asks the user; absent if nobody can be asked. */
    readonly permit?: ((sentence: string) => Promise<boolean>) | undefined;
    readonly signal: AbortSignal;
}
