/** Half of a surrogate pair, left by a cut in a result, would make a vendor reject all of it. */
export function toJson(value: unknown): string {
    const json = JSON.stringify(value);
    if (!json.includes("\\ud")) return json;
    return JSON.stringify(value, (_key, item: unknown) =>
        typeof item === "string" ? item.replace(/\p{Surrogate}/gu, "\ufffd") : item
    );
}
