import { WITHHELD } from "../../base/secrets/known-values.js";

/** Shorter keys would also match unrelated text. */
const SHORTEST_KEY = 8;

export function textWithoutKeys(text: string, keys: Iterable<string>): string {
    return [...keys]
        .filter((key) => key.length >= SHORTEST_KEY)
        .reduce((result, key) => result.replaceAll(key, WITHHELD), text);
}
