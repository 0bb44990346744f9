import { parseUrl } from "./parse-url.js";

/**
 * Parses the environment's proxy; undefined if it is not one for HTTP. A `%` in its password that
 * begins no escape stands for itself, as in curl: `decodeURIComponent` would throw.
 */
export function parseProxyUrl(named: string): URL | undefined {
    const url = parseUrl(named.replace(/%(?![\da-f]{2})/gi, "%25"));
    return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
