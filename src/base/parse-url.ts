import { attempt } from "./attempt.js";

/**
 * Parses a URL, against a base if it is relative; undefined if it is malformed. URL.canParse cannot
 * say which: in Node 20 and 22 it refuses letters like "ü" once V8 has optimized its callers.
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
    return attempt(() => new URL(text, base));
}
