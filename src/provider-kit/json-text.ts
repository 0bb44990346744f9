/**
 * Serializes to JSON with well-formed Unicode only. A lone surrogate, left by a truncated result,
 * would make vendors reject the whole request.
 */
export function toJson(value: unknown): string {
    const json = JSON.stringify(value);
    if (!json.includes("\\ud")) return json;
    // Only a lone surrogate is escaped so, in a key as in a text; a pair is written as it is.
    return json.replace(/(?<!\\)((?:\\\\)*)\\ud[0-9a-f]{3}/g, "$1\ufffd");
}

/** Replaces each lone surrogate with U+FFFD. */
export function toWellFormed(text: string): string {
    return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
