const MOST_MISTAKES = 2;

/** The command that was probably meant: one with few letters wrong, missing, extra or swapped. */
export function nearCommand(typed: string, names: readonly string[]): string | undefined {
    const most = Math.min(MOST_MISTAKES, Math.floor(typed.length / 2));
    const [nearest] = names
        .map((name) => ({ name, mistakes: mistakesBetween(typed, name) }))
        .filter(({ mistakes }) => mistakes <= most)
        .sort((one, other) => one.mistakes - other.mistakes);
    return nearest?.name;
}

/** The optimal string alignment distance. */
function mistakesBetween(typed: string, name: string): number {
    let [before, last] = [[] as number[], Array.from({ length: name.length + 1 }, (_, at) => at)];
    for (let row = 1; row <= typed.length; row += 1) {
        const next = [row];
        for (let at = 1; at <= name.length; at += 1) {
            const isSame = typed[row - 1] === name[at - 1];
            const isSwapped = typed[row - 1] === name[at - 2] && typed[row - 2] === name[at - 1];
            next[at] = Math.min(
                (last[at] ?? 0) + 1,
                (next[at - 1] ?? 0) + 1,
                (last[at - 1] ?? 0) + (isSame ? 0 : 1),
                isSwapped && row > 1 && at > 1 ? (before[at - 2] ?? 0) + 1 : Infinity
            );
        }
        [before, last] = [last, next];
    }
    return last[name.length] ?? 0;
}
