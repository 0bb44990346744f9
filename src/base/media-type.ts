import { sizeInPixels } from "./image-size.js";

/** Magic numbers in hex; `*` matches any digit. */
const SIGNATURES: readonly (readonly [mediaType: string, hex: string])[] = [
    ["image/png", "89504e470d0a1a0a"],
    ["image/jpeg", "ffd8ff"],
    ["image/gif", "474946383761"],
    ["image/gif", "474946383961"],
    ["image/webp", "52494646********57454250"],
    ["application/pdf", "255044462d"],
];

const MEGABYTE = 1024 * 1024;
/**
 * What all vendors accept: images of 5 MB as base64, on Amazon Bedrock and Google Cloud, and of
 * 8,000 pixels a side. https://platform.claude.com/docs/en/build-with-claude/vision
 */
export const MAX_IMAGE_BYTES = 3.75 * MEGABYTE;
const MAX_DOCUMENT_BYTES = 5 * MEGABYTE;
const MAX_PIXELS = 8_000;

/** Why a vendor would refuse this file of `size` bytes, and with it every later request. */
export function mediaRefusal(
    mediaType: string,
    bytes: Buffer,
    size = bytes.length
): string | undefined {
    const isImage = mediaType.startsWith("image/");
    const most = isImage ? MAX_IMAGE_BYTES : MAX_DOCUMENT_BYTES;
    if (size > most) {
        const limit = `the limit for ${isImage ? "images" : "PDFs"} is ${most / MEGABYTE} MB`;
        return `is ${(size / MEGABYTE).toFixed(1)} MB; ${limit}`;
    }
    const { width = 0, height = 0 } = sizeInPixels(mediaType, bytes) ?? {};
    if (Math.max(width, height) <= MAX_PIXELS) return undefined;
    return `has ${width} × ${height} pixels; the limit is ${MAX_PIXELS} a side`;
}

/** The type of an image or PDF that vendors accept, by its bytes rather than its name. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
    const start = Buffer.from(bytes.subarray(0, 12)).toString("hex");
    const found = SIGNATURES.find(([, hex]) =>
        [...hex].every((digit, index) => digit === "*" || digit === start[index])
    );
    return found?.[0];
}
