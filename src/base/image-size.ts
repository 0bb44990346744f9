import { attempt } from "./attempt.js";
import { ownValue } from "./fields.js";

interface ImageSize {
    readonly width: number;
    readonly height: number;
}

/**
 * The size of an image in pixels; `undefined` if it cannot be told, as of a PDF or a damaged image.
 * No library, because plugins bundle this with the provider kit, and would have to install it.
 */
export function sizeInPixels(mediaType: string, bytes: Buffer): ImageSize | undefined {
    const read = ownValue(READERS, mediaType);
    // What is missing at the end of the bytes throws.
    const [width = 0, height = 0] = attempt(() => read?.(bytes)) ?? [];
    return width > 0 && height > 0 ? { width, height } : undefined;
}

const READERS: Readonly<Record<string, (bytes: Buffer) => number[] | undefined>> = {
    // https://www.w3.org/TR/png-3/#11IHDR
    "image/png": (bytes) =>
        wordAt(bytes, 12) === "IHDR" ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] : undefined,
    // https://www.w3.org/Graphics/GIF/spec-gif89a.txt, section 18
    "image/gif": (bytes) => [bytes.readUInt16LE(6), bytes.readUInt16LE(8)],
    "image/jpeg": readJpeg,
    "image/webp": readWebp,
};

/** Skips segments until one that begins a frame: https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.1 */
function readJpeg(bytes: Buffer): number[] | undefined {
    for (let at = 2; bytes.readUInt8(at) === 0xff;) {
        const marker = bytes.readUInt8(at + 1);
        const isFrame = (marker & 0xf0) === 0xc0 && ![0xc4, 0xc8, 0xcc].includes(marker);
        if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
        if (marker === 0xff) at += 1;
        else at += 2 + bytes.readUInt16BE(at + 2);
    }
    return undefined;
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function readWebp(bytes: Buffer): number[] | undefined {
    switch (wordAt(bytes, 12)) {
        case "VP8X":
            return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
        case "VP8L": {
            const bits = bytes.readUInt32LE(21);
            return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
        }
        case "VP8 ":
            return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
        default:
            return undefined;
    }
}

function wordAt(bytes: Buffer, at: number): string {
    return bytes.toString("latin1", at, at + 4);
}
