import { createHash } from "node:crypto";

/** What the vendors take. */
const LONGEST = 64;

/**
 * `server__tool`, made of what the vendors accept. Where that is too long, or taken by another tool,
 * it ends with a mark of its own, the same at each start.
 */
export function nameTools<Offer extends { readonly name: string }>(
    server: string,
    offers: readonly Offer[],
    taken: Set<string>
): { readonly name: string; readonly offer: Offer }[] {
    return offers.map((offer) => {
        const plain = `${server}__${offer.name}`.replace(/[^a-zA-Z0-9_-]/g, "_");
        const isFree = plain.length <= LONGEST && !taken.has(plain);
        const name = isFree
            ? plain
            : `${plain.slice(0, LONGEST - 7)}_${markOf(server, offer.name)}`;
        taken.add(name);
        return { name, offer };
    });
}

function markOf(...names: readonly string[]): string {
    return createHash("sha256").update(names.join("\0")).digest("hex").slice(0, 6);
}
