/**
 * JSON in which each text is well-formed Unicode. Half of a surrogate pair, left by a cut in a
 * result, would make a vendor reject the whole request.
 */
export function toJson(value: unknown): string {
    const json = JSON.stringify(value);
    if (!json.includes("\\ud")) return json;
    return JSON.stringify(value, (_key, item: unknown) =>
        typeof item === "string" ? toWellFormed(item) : item
    );
}

/** The text with U+FFFD in place of each lone surrogate. */
export function toWellFormed(text: string): string {
    return text.replace(/\p{Surrogate}/gu, "\ufffd");
}
