import { createHash } from "node:crypto";

/** The vendors' max length. */
const MAX_LENGTH = 64;

/**
 * Names tools `server__tool`, in characters that vendors accept. If that is too long or taken,
 * appends a suffix that is stable across starts.
 */
export function nameTools<Offer extends { readonly name: string }>(
    server: string,
    offers: readonly Offer[],
    taken: Set<string>
): { readonly name: string; readonly offer: Offer }[] {
    return offers.map((offer) => {
        const plain = `${server}__${offer.name}`.replace(/[^a-zA-Z0-9_-]/g, "_");
        const isFree = plain.length <= MAX_LENGTH && !taken.has(plain);
        const name = isFree
            ? plain
            : `${plain.slice(0, MAX_LENGTH - 7)}_${digestOf(server, offer.name).slice(0, 6)}`;
        taken.add(name);
        return { name, offer };
    });
}

export function digestOf(...parts: readonly string[]): string {
    return createHash("sha256").update(parts.join("\0")).digest("hex");
}
