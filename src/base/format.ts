/** `$0.12`, three decimals below a cent (`$0.004`), and `<$0.001` for what would round to zero. */
export function formatUsd(usd: number): string {
    if (usd === 0) return "$0.00";
    if (usd < 0) return `-${formatUsd(-usd)}`;
    const precise = usd.toFixed(3);
    if (precise === "0.000") return "<$0.001";
    return Number(precise) < 0.01 ? `$${precise}` : `$${usd.toFixed(2)}`;
}

/** `null`: unknown, if one of the two is. */
export function addCosts(one: number | null, other: number | null): number | null {
    return one === null || other === null ? null : one + other;
}

/** As `formatUsd`; `price unknown` for `null`. */
export function formatCost(costUsd: number | null): string {
    return costUsd === null ? "price unknown" : formatUsd(costUsd);
}

/** As `formatUsd`; `$0.12 + unknown` if the price of some requests is not known. */
export function formatCosts(costUsd: number, unpricedRequests: number): string {
    return formatUsd(costUsd) + (unpricedRequests > 0 ? " + unknown" : "");
}

/** `950`, `42.5K`, `42K`, `1.2M`. */
export function formatTokens(tokens: number): string {
    if (tokens < 1_000) return String(Math.round(tokens));
    // 999,950 and more would read as 1000K.
    if (tokens < 999_950) return `${oneDecimal(tokens / 1_000)}K`;
    return `${oneDecimal(tokens / 1_000_000)}M`;
}

/** `512 bytes`, `6 KB`, `38 MB`, `1.2 GB`. */
export function formatBytes(bytes: number): string {
    if (bytes < 1_000) return counted(bytes, "byte");
    if (bytes < 999_500) return `${Math.round(bytes / 1_000)} KB`;
    if (bytes < 999_500_000) return `${Math.round(bytes / 1_000_000)} MB`;
    return `${oneDecimal(bytes / 1_000_000_000)} GB`;
}

/** `1,234,567` */
export function formatInteger(amount: number): string {
    // oxlint-disable-next-line regexp/no-super-linear-move -- a number has few digits
    return String(amount).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `40ms`, `0.4s`, `3s`, `42s`, `2m 05s`. */
export function formatDuration(milliseconds: number): string {
    if (milliseconds >= 0.5 && milliseconds < 95) return `${Math.round(milliseconds)}ms`;
    if (milliseconds < 9_950) return `${oneDecimal(milliseconds / 1_000)}s`;
    const seconds = Math.round(milliseconds / 1_000);
    if (seconds < 60) return `${seconds}s`;
    return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}

/** Like `formatDuration`, in whole seconds, for a running clock. */
export function formatElapsed(milliseconds: number): string {
    return formatDuration(Math.floor(milliseconds / 1_000) * 1_000);
}

/** `40s ago`, `25 min ago`. */
export function formatAgo(milliseconds: number): string {
    const seconds = Math.max(1, Math.floor(milliseconds / 1_000));
    return seconds < 60 ? `${seconds}s ago` : `${Math.floor(seconds / 60)} min ago`;
}

function oneDecimal(value: number): string {
    return value.toFixed(1).replace(/\.0$/, "");
}

/** `1 file`, `12 files`, `1,200 files`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
    return `${formatInteger(count)} ${count === 1 ? noun : plural}`;
}

/** `50 files+` if there are more. */
export function countedAtLeast(
    count: number,
    noun: string,
    { truncated, plural }: { readonly truncated: boolean; readonly plural?: string }
): string {
    return `${counted(count, noun, plural)}${truncated ? "+" : ""}`;
}

/** `a, b, 3 more`. */
export function firstOf(names: readonly string[], limit = 3, beforeMore = ", "): string {
    const more =
        names.length > limit ? `${beforeMore}${formatInteger(names.length - limit)} more` : "";
    return names.slice(0, limit).join(", ") + more;
}

/** `+120 -34` */
export function formatLineCounts(
    files: readonly { readonly linesAdded: number; readonly linesRemoved: number }[]
): string {
    const added = files.reduce((sum, { linesAdded }) => sum + linesAdded, 0);
    const removed = files.reduce((sum, { linesRemoved }) => sum + linesRemoved, 0);
    return `+${formatInteger(added)} -${formatInteger(removed)}`;
}

/** The first rows, and one that counts the rest. */
export function firstRows<Row>(
    rows: readonly Row[],
    limit: number,
    rest: (more: number) => Row
): readonly Row[] {
    return rows.length > limit ? [...rows.slice(0, limit), rest(rows.length - limit)] : rows;
}

/** Each run of blanks and line ends becomes one space. */
export function oneLine(text: string): string {
    return text.replace(/\s+/g, " ").trim();
}

/** The text with a full stop, unless it already ends like a sentence. */
export function asSentence(text: string): string {
    return /[.!?]$/.test(text) ? text : `${text}.`;
}

export function firstWords(text: string, limit = 80): string {
    return truncate(oneLine(text.slice(0, 1000)), limit);
}

/** The text, or the start of a longer one with `…` at the end. `limit`: in code points. */
export function truncate(text: string, limit: number): string {
    const characters = [...text.slice(0, 2 * limit + 1)];
    if (characters.length <= limit) return text;
    return `${characters.slice(0, limit - 1).join("")}…`;
}

export function truncateMiddle(text: string, longest: number): string {
    if (text.length <= longest) return text;
    const half = Math.max(0, Math.floor((longest - 30) / 2));
    const left = text.length - 2 * half;
    return `${text.slice(0, half)} [… ${left} characters …] ${text.slice(text.length - half)}`;
}

/** `2026-11-22 14:05` in the user's own time zone. */
export function localMinute(at: number): string {
    const offset = new Date(at).getTimezoneOffset() * 60_000;
    return new Date(at - offset).toISOString().slice(0, 16).replace("T", " ");
}
