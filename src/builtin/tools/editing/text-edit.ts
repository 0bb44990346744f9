import type { ToolFailure } from "../../../plugin/index.js";
import type { ByteText } from "./byte-text.js";

export interface EditableText {
    /** For error messages. */
    readonly path: string;
    readonly body: ByteText;
    /** Someone else changed the file since the model last read or edited it. */
    readonly isChangedSinceRead: boolean;
}

export type TextEdit = { readonly ok: true; readonly body: ByteText } | ToolFailure;

export function edited(body: ByteText): TextEdit {
    return { ok: true, body };
}
