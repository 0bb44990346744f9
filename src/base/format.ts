/**
 * A price for people: `$0.12`, and three decimals below a cent (`$0.004`). What would round to
 * nothing is shown as `<$0.001`, because it did cost something.
 */
export function formatUsd(usd: number): string {
    if (usd === 0) return "$0.00";
    if (usd < 0) return `-${formatUsd(-usd)}`;
    const precise = usd.toFixed(3);
    if (precise === "0.000") return "<$0.001";
    return Number(precise) < 0.01 ? `$${precise}` : `$${usd.toFixed(2)}`;
}

/** A number of tokens for people: `950`, `42.5K`, `1.2M`; a decimal only where it says something. */
export function formatTokens(tokens: number): string {
    if (tokens < 1_000) return String(Math.round(tokens));
    // 999,950 and more would read as 1000K.
    if (tokens < 999_950) return `${oneDecimal(tokens / 1_000)}K`;
    return `${oneDecimal(tokens / 1_000_000)}M`;
}

function oneDecimal(value: number): string {
    return value.toFixed(1).replace(/\.0$/, "");
}

/** `1 file`, `12 files`, `50 files+` where there are more than are shown. */
export function counted(
    count: number,
    noun: string,
    truncated = false,
    plural = `${noun}s`
): string {
    return `${count} ${count === 1 ? noun : plural}${truncated ? "+" : ""}`;
}
