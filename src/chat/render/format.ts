/** `$0.00`, `$0.004`, `$12.34`: three decimals for what two would hide. */
export function formatUsd(amount: number): string {
    if (amount > 0 && amount < 0.0005) return "<$0.001";
    return amount > 0 && amount < 0.0095 ? `$${amount.toFixed(3)}` : `$${amount.toFixed(2)}`;
}

/** `950`, `42.5K`, `1.2M`. */
export function formatTokens(tokens: number): string {
    if (tokens < 1000) return String(Math.round(tokens));
    if (tokens < 999_950) return `${(tokens / 1000).toFixed(1)}K`;
    return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** `3s`, `2m 05s`. */
export function formatElapsed(milliseconds: number): string {
    const seconds = Math.floor(milliseconds / 1000);
    if (seconds < 60) return `${seconds}s`;
    return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}

/** `1 line`, `3 lines`. */
export function count(amount: number, noun: string): string {
    return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
