/** Whether a state passes, by its index. */
export type TestState = (index: number) => Promise<boolean>;

/**
 * The first of `count` states that fails, or `count` where none does, in at most
 * `ceil(log2(count + 1))` tests. The answer rests on tests of that state and of the one before.
 */
export async function firstFailure(count: number, passes: TestState): Promise<number> {
    let [low, high] = [0, count];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (await passes(middle)) low = middle + 1;
        else high = middle;
    }
    return low;
}
