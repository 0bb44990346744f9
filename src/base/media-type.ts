/** Magic numbers in hex; `*` matches any digit. */
const SIGNATURES: readonly (readonly [mediaType: string, hex: string])[] = [
    ["image/png", "89504e470d0a1a0a"],
    ["image/jpeg", "ffd8ff"],
    ["image/gif", "474946383761"],
    ["image/gif", "474946383961"],
    ["image/webp", "52494646********57454250"],
    ["application/pdf", "255044462d"],
];

/**
 * Max size that all vendors accept: of an image 5 MB as base64, on Amazon Bedrock and Google Cloud.
 * https://platform.claude.com/docs/en/build-with-claude/vision
 */
export const MAX_IMAGE_BYTES = 3.75 * 1024 * 1024;
const MAX_DOCUMENT_BYTES = 5 * 1024 * 1024;

export function maxBytesOf(mediaType: string): number {
    return mediaType.startsWith("image/") ? MAX_IMAGE_BYTES : MAX_DOCUMENT_BYTES;
}

/** The type of an image or PDF that vendors accept, by its bytes rather than its name. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
    const start = Buffer.from(bytes.subarray(0, 12)).toString("hex");
    const found = SIGNATURES.find(([, hex]) =>
        [...hex].every((digit, index) => digit === "*" || digit === start[index])
    );
    return found?.[0];
}
