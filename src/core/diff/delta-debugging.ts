/** The smallest set found so far. */
interface Minimized<Atom> {
    readonly needed: readonly Atom[];
    /** Whether it is known that no single atom can be left out. */
    readonly isMinimal: boolean;
}

/**
 * Finds a part of `atoms` for which `holds` is still true and of which no single atom can be left
 * out, given that it holds for all of them and not for none: ddmin, of Zeller and Hildebrandt,
 * "Simplifying and Isolating Failure-Inducing Input" (2002). Calls `holds` at most n² + 3n times;
 * with one needed atom, about 2 log2 n times. `undefined` from `holds` ends the search.
 */
export async function minimize<Atom>(
    atoms: readonly Atom[],
    holds: (kept: readonly Atom[]) => Promise<boolean | undefined>
): Promise<Minimized<Atom>> {
    let needed = atoms;
    let parts = 2;
    while (needed.length > 1) {
        const next = await smaller(needed, parts, holds);
        if (next === undefined) return { needed, isMinimal: false };
        if (next.kept !== needed) {
            needed = next.kept;
            parts = next.isPart ? 2 : Math.max(parts - 1, 2);
        } else if (parts < needed.length) {
            parts = Math.min(parts * 2, needed.length);
        } else {
            break;
        }
    }
    return { needed, isMinimal: true };
}

/** One part alone, or all but one part; `kept` is all of them if neither holds. */
async function smaller<Atom>(
    all: readonly Atom[],
    count: number,
    holds: (kept: readonly Atom[]) => Promise<boolean | undefined>
): Promise<{ readonly kept: readonly Atom[]; readonly isPart: boolean } | undefined> {
    const parts = Array.from({ length: count }, (_, index) =>
        all.slice(cut(index, all.length, count), cut(index + 1, all.length, count))
    );
    const rests = parts.map((part) => all.filter((atom) => !part.includes(atom)));
    // Of two parts each is the rest of the other.
    for (const kept of count === 2 ? parts : [...parts, ...rests]) {
        const answer = await holds(kept);
        if (answer === undefined) return undefined;
        if (answer) return { kept, isPart: parts.includes(kept) };
    }
    return { kept: all, isPart: false };
}

function cut(index: number, length: number, count: number): number {
    return Math.floor((index * length) / count);
}
