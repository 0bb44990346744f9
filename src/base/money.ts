export function toNano(dollars: number): number {
    return Math.round(dollars * 1e9);
}

export function toDollars(nano: number): number {
    return nano / 1e9;
}

/** Exact, unlike a sum of floats. */
export function sumUsd(amounts: readonly number[]): number {
    return toDollars(amounts.reduce((sum, each) => sum + toNano(each), 0));
}
