/** Magic numbers in hex; `*` matches any digit. */
const SIGNATURES: readonly (readonly [mediaType: string, hex: string])[] = [
    ["image/png", "89504e470d0a1a0a"],
    ["image/jpeg", "ffd8ff"],
    ["image/gif", "474946383761"],
    ["image/gif", "474946383961"],
    ["image/webp", "52494646********57454250"],
    ["application/pdf", "255044462d"],
];

/** Max size of a file that all vendors accept. */
export const MAX_MEDIA_BYTES = 5 * 1024 * 1024;

/** The type of an image or PDF that vendors accept, by its bytes rather than its name. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
    const start = Buffer.from(bytes.subarray(0, 12)).toString("hex");
    const found = SIGNATURES.find(([, hex]) =>
        [...hex].every((digit, index) => digit === "*" || digit === start[index])
    );
    return found?.[0];
}
