/** How a word is to be written. */
export type Case = "upper" | "lower" | "capital";

/** The text in upper or lower case, or with a capital for its first letter only. */
export function recased(text: string, to: Case): string {
    if (to === "upper") return text.toUpperCase();
    const lower = text.toLowerCase();
    return to === "lower" ? lower : lower.replace(/\p{L}/u, (letter) => letter.toUpperCase());
}
