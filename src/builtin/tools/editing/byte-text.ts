import { isByteText } from "../../../base/binary.js";

// Files are edited as bytes, one character per byte ("latin1"), so that untouched parts are
// preserved in any encoding. The model's UTF-8 text is converted to the same form.

const BOM = "\u00ef\u00bb\u00bf";

/** Text with one character per byte. A plain string at run time; the brand keeps the two apart. */
export type ByteText = string & { readonly oneCharacterAByte?: true };

/** A text file's bytes; the byte order mark is separate. */
interface TextBytes {
    readonly bom: ByteText;
    readonly body: ByteText;
}

/** Returns `undefined` for binary files, and for UTF-16, where single bytes mean nothing. */
export function toTextBytes(bytes: Uint8Array): TextBytes | undefined {
    if (!isByteText(bytes)) return undefined;

    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    return text.startsWith(BOM)
        ? { bom: BOM, body: text.slice(BOM.length) }
        : { bom: "", body: text };
}

export function toBytes(text: TextBytes): Uint8Array {
    return Buffer.from(text.bom + text.body, "latin1");
}

export function encoded(text: string): ByteText {
    return Buffer.from(text, "utf8").toString("latin1");
}

/** Converts bytes for display; invalid UTF-8 becomes `�`. */
export function decoded(text: ByteText): string {
    return Buffer.from(text, "latin1").toString("utf8");
}
