import type { Digest } from "../../../plugin/index.js";
import { asJson } from "../results.js";

/** Max entries to send at once from a list about one file. */
export const MAX_ENTRIES = 200;

/** Shortens a list and adds the count; `undefined` if it is short. */
export function digestOfList<Name extends string>(
    data: Readonly<Record<Name, readonly unknown[]>> & { readonly total?: number },
    name: Name,
    first: readonly unknown[] = data[name].slice(0, MAX_ENTRIES),
    total = data.total ?? data[name].length
): Digest | undefined {
    if (total <= MAX_ENTRIES) return undefined;
    return {
        data: asJson({ ...data, [name]: first, truncated: true, total }),
        note: `At most ${MAX_ENTRIES} of ${total} ${name}; expand_output has more.`,
    };
}
