import { distance } from "fastest-levenshtein";

const MOST_MISTAKES = 2;

/** The name that was probably meant: one with few letters wrong, missing, extra or swapped. */
export function nearName(typed: string, names: readonly string[]): string | undefined {
    const most = Math.min(MOST_MISTAKES, Math.floor(typed.length / 2));
    const [nearest] = names
        .map((name) => ({
            name,
            mistakes: mistakesBetween(typed, name),
            lengths: Math.abs(typed.length - name.length),
        }))
        .filter(({ mistakes }) => mistakes <= most)
        .sort((one, other) => one.mistakes - other.mistakes || one.lengths - other.lengths);
    return nearest?.name;
}

/** The same letters in another order are one slip of the fingers, not two letters wrong. */
function mistakesBetween(typed: string, name: string): number {
    const mistakes = distance(typed, name);
    return mistakes <= MOST_MISTAKES && lettersOf(typed) === lettersOf(name)
        ? Math.min(mistakes, 1)
        : mistakes;
}

function lettersOf(word: string): string {
    return [...word].sort().join("");
}
