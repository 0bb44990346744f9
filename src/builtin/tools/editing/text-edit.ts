import type { ToolFailure } from "../../../plugin/index.js";
import type { ByteText } from "./byte-text.js";

/** A text that is to be edited, and what is known about it. */
export interface EditableText {
    /** Named in error messages. */
    readonly path: string;
    readonly body: ByteText;
    /** Somebody else changed the file since the model last read or edited it. */
    readonly isChangedSinceRead: boolean;
}

/** The text after an edit, or why there is none. */
export type TextEdit = { readonly ok: true; readonly body: ByteText } | ToolFailure;

export function edited(body: ByteText): TextEdit {
    return { ok: true, body };
}
