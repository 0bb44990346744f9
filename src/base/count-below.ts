/** Counts sorted values below a limit, by binary search. */
export function countBelow(sorted: readonly number[], limit: number): number {
    return countWhile(sorted.length, (index) => (sorted[index] ?? 0) < limit);
}

/** Counts the leading indexes below `length` for which something holds, by binary search. */
export function countWhile(length: number, holds: (index: number) => boolean): number {
    let [low, high] = [0, length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (holds(middle)) low = middle + 1;
        else high = middle;
    }
    return low;
}
