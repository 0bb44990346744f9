import { isUtf8 } from "node:buffer";

const FIRST_STAND_IN = 0xdc00;

/**
 * Decodes UTF-8. Each byte that is not part of it becomes one lone surrogate, which no class of a
 * search pattern matches: just as ripgrep treats such a byte.
 */
export function decodeLines(bytes: Buffer): string {
    return isUtf8(bytes) ? bytes.toString("utf8") : decodeBroken(bytes);
}

/** The same text fit to be shown. */
export function showable(text: string): string {
    return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

function decodeBroken(bytes: Buffer): string {
    let text = "";
    let start = 0;
    for (let index = 0; index < bytes.length;) {
        const length = sequenceLength(bytes, index);
        if (length > 0) {
            index += length;
        } else {
            const broken = String.fromCharCode(FIRST_STAND_IN + (bytes[index] ?? 0));
            text += bytes.toString("utf8", start, index) + broken;
            index += 1;
            start = index;
        }
    }
    return text + bytes.toString("utf8", start);
}

/** How many bytes make up the character at `index`; 0 where there is none. */
function sequenceLength(bytes: Buffer, index: number): number {
    const lead = bytes[index] ?? 0;
    if (lead < 0x80) return 1;

    const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    const isWhole = index + length <= bytes.length;
    return length > 0 && isWhole && isUtf8(bytes.subarray(index, index + length)) ? length : 0;
}
