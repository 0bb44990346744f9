/**
 * Serializes to JSON with well-formed Unicode only. A lone surrogate, left by a truncated result,
 * would make vendors reject the whole request.
 */
export function toJson(value: unknown): string {
    const json = JSON.stringify(value);
    if (!json.includes("\\ud")) return json;
    return JSON.stringify(value, (_key, item: unknown) =>
        typeof item === "string" ? toWellFormed(item) : item
    );
}

/** Replaces each lone surrogate with U+FFFD. */
export function toWellFormed(text: string): string {
    return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
