// Files are edited as their bytes: one character a byte ("latin1"), so that whatever is not touched
// comes out as it went in, in any encoding. What the model sends is UTF-8 in the same form.

const BOM = "\u00ef\u00bb\u00bf";
/** How far git looks for a NUL byte too. */
const BINARY_PROBE = 8000;

/** Text, one character a byte. A plain string at run time; the name keeps the two kinds apart. */
export type ByteText = string & { readonly oneCharacterAByte?: true };

/** A text file's bytes; the byte order mark is not part of the text. */
export interface TextBytes {
    readonly bom: ByteText;
    readonly body: ByteText;
}

/** `undefined` for what is no text, or none in which single bytes mean anything (UTF-16). */
export function toTextBytes(bytes: Uint8Array): TextBytes | undefined {
    const isWide =
        (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    if (isWide || bytes.subarray(0, BINARY_PROBE).includes(0)) return undefined;

    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    return text.startsWith(BOM)
        ? { bom: BOM, body: text.slice(BOM.length) }
        : { bom: "", body: text };
}

export function toBytes(text: TextBytes): Uint8Array {
    return Buffer.from(text.bom + text.body, "latin1");
}

/** What the model sent, as the bytes it stands for. */
export function encoded(text: string): ByteText {
    return Buffer.from(text, "utf8").toString("latin1");
}

/** For people and models; bytes that are no UTF-8 become `�`. */
export function decoded(text: ByteText): string {
    return Buffer.from(text, "latin1").toString("utf8");
}
