/**
 * File names on Linux are bytes, mostly UTF-8. Other bytes are written as lone surrogates, U+DC80 to
 * U+DCFF, as Python does: every name is then a string, and no two names are the same.
 */
export function nameOf(bytes: Buffer): string {
    const text = bytes.toString("utf8");
    if (!text.includes("\uFFFD")) return text;
    let name = "";
    for (let start = 0; start < bytes.length;) {
        const [length, character] = characterAt(bytes, start);
        name += character;
        start += length;
    }
    return name;
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

function characterAt(bytes: Buffer, start: number): readonly [length: number, text: string] {
    for (const length of [1, 2, 3, 4]) {
        const some = bytes.subarray(start, start + length);
        const text = some.toString("utf8");
        if ([...text].length === 1 && Buffer.from(text).equals(some)) return [length, text];
    }
    return [1, String.fromCharCode(0xdc00 + (bytes[start] ?? 0))];
}
