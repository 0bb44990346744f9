/** What `work` returns, or `otherwise` if it throws. */
export function attempt<Value>(work: () => Value): Value | undefined;
export function attempt<Value, Otherwise>(
    work: () => Value,
    otherwise: Otherwise
): Value | Otherwise;
export function attempt(work: () => unknown, otherwise?: unknown): unknown {
    try {
        return work();
    } catch {
        return otherwise;
    }
}
