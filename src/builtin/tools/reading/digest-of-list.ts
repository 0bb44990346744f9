import type { Digest } from "../../../plugin/index.js";
import { asJson } from "../results.js";

/** So many entries of a list that describes one file are told at once. */
export const MOST_ENTRIES = 200;

/** The data with a shorter list and the count; `undefined` where the list is short. */
export function digestOfList<Name extends string>(
    data: Readonly<Record<Name, readonly unknown[]>> & { readonly total?: number },
    name: Name,
    first: readonly unknown[] = data[name].slice(0, MOST_ENTRIES),
    total = data.total ?? data[name].length
): Digest | undefined {
    if (total <= MOST_ENTRIES) return undefined;
    return {
        data: asJson({ ...data, [name]: first, truncated: true, total }),
        note: `At most ${MOST_ENTRIES} of ${total} ${name}; expand_output has more.`,
    };
}
