/** Counts sorted values below a limit, by binary search. */
export function countBelow(sorted: readonly number[], limit: number): number {
    let [low, high] = [0, sorted.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if ((sorted[middle] ?? 0) < limit) low = middle + 1;
        else high = middle;
    }
    return low;
}
