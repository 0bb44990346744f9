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
            : `${plain.slice(0, MAX_LENGTH - 7)}_${markOf(server, offer.name)}`;
        taken.add(name);
        return { name, offer };
    });
}

function markOf(...names: readonly string[]): string {
    return createHash("sha256").update(names.join("\0")).digest("hex").slice(0, 6);
}
