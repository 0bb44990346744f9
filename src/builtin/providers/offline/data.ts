/** Readers for what tools answered, which is any JSON here: nothing that is missing breaks them. */

type Fields = Readonly<Record<string, unknown>>;

/** Lines of a list shown before the rest is counted. */
const MAX_LINES = 30;

export function fieldsOf(value: unknown): Fields {
    return typeof value === "object" && value !== null ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly Fields[] {
    return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textOf(value: unknown): string {
    if (typeof value === "string") return value;
    return typeof value === "number" ? String(value) : "";
}

/** `no files`, `1 file`, `7 files`, `7+ files` where there are more than were told. */
export function countOf(count: number, noun: string, isPartial = false): string {
    if (count === 0) return `no ${noun}s`;
    return `${count}${isPartial ? "+" : ""} ${noun}${count === 1 && !isPartial ? "" : "s"}`;
}

/** A headline and its lines, cut where they are many. */
export function listing(headline: string, lines: readonly string[]): string {
    if (lines.length === 0) return `${headline}.`;
    const shown = lines.slice(0, MAX_LINES);
    const left = lines.length - shown.length;
    const rest = left > 0 ? [`… and ${left} more`] : [];
    return [`${headline}:`, verbatim([...shown, ...rest].join("\n"))].join("\n");
}

/** What others wrote, as Markdown that shows each of its characters. */
export function verbatim(text: string, language = ""): string {
    const fence = "`".repeat(Math.max(3, longestTicks(text) + 1));
    return `${fence}${language}\n${text}\n${fence}`;
}

/** The same within a line. */
export function quoted(text: string): string {
    const ticks = "`".repeat(longestTicks(text) + 1);
    const space = /^`|`$/.test(text) ? " " : "";
    return `${ticks}${space}${text}${space}${ticks}`;
}

function longestTicks(text: string): number {
    return Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
}
