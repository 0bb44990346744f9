/**
 * File names on Linux are bytes, mostly UTF-8. Other bytes are written as lone surrogates, U+DC80 to
 * U+DCFF, as Python does: every name is then a string, and no two names are the same.
 */
export function nameOf(bytes: Buffer): string {
    return withoutInvalid(bytes.toString("latin1"), (byte) => String.fromCharCode(0xdc00 + byte));
}

/** UTF-8 as Unicode's table 3-7 has it, and a byte that is not part of it, as latin1. */
const CHARACTERS_OR_BYTE =
    /(?:[\0-\x7f]|[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}){1,4096}|[^]/g;

/** The text of bytes (as latin1) that are mostly UTF-8, with the others written as `invalid` says. */
export function withoutInvalid(latin1: string, invalid: (byte: number) => string): string {
    const text = Buffer.from(latin1, "latin1").toString("utf8");
    if (!text.includes("\uFFFD")) return text;
    return latin1.replace(CHARACTERS_OR_BYTE, (part) => {
        const code = part.charCodeAt(0);
        const isInvalid = part.length === 1 && code > 0x7f;
        return isInvalid ? invalid(code) : Buffer.from(part, "latin1").toString("utf8");
    });
}

/** What file system calls take for a name or path made by `nameOf`. */
export function bytesOf(name: string): string | Buffer {
    if (!/[\u{DC80}-\u{DCFF}]/u.test(name)) return name;
    const parts = [...name].map((character) => {
        const code = character.codePointAt(0) ?? 0;
        return code >= 0xdc80 && code <= 0xdcff
            ? Buffer.from([code - 0xdc00])
            : Buffer.from(character);
    });
    return Buffer.concat(parts);
}
