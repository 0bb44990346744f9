import { NorthError } from "../base/north-error.js";
import { parseUrl } from "../base/parse-url.js";
import type { ConnectionSettings } from "../plugin/index.js";
import { type Limits, LIMITS, withLimits } from "./limits.js";
import { noKey, redirected, type Vendor, webPage } from "./failures.js";
import { createNodeHttpFetch } from "./node-http-fetch.js";
import { withoutBlankEvents } from "./without-blank-events.js";

/** Endpoint and limits of a vendor's server. */
export interface Server {
    readonly vendor: Vendor;
    /** Absent if the vendor needs none. */
    readonly apiKey?: string;
    /** As configured, without trailing slashes and without its query, which `fetch` adds. */
    readonly baseURL: string;
    /** Host and port, for `networkFailure`. */
    readonly host: string;
    /** The configured `fetch` with `limits` applied; an SDK needs no timeouts of its own. */
    readonly fetch: typeof fetch;
}

/**
 * Validates the settings of `Provider.connect` and similar calls. Throws `no-api-key` if a required
 * key is missing, `invalid-request` if the base URL is invalid.
 */
export function openServer(
    settings: ConnectionSettings,
    vendor: Vendor,
    limits: Limits = LIMITS
): Server {
    const { apiKey, fetch = createNodeHttpFetch() } = settings;
    if (vendor.keyVariable !== undefined && !apiKey) throw noKey(vendor);
    const [address = "", query] = (settings.baseURL || vendor.baseURL).split("?");
    const baseURL = address.replace(/(?<!\/)\/+$/, "");
    const url = parseUrl(baseURL);
    if (!/^https?:/.test(baseURL) || url === undefined) {
        const { baseURLVariable: variable = "baseURL in config.json" } = vendor;
        throw new NorthError("invalid-request", `${baseURL} is not a server URL.`, [
            `Set ${variable} to something like ${vendor.baseURL}, or unset it.`,
        ]);
    }
    const { host } = url;
    const limited = withLimits(withQuery(fetch, query), limits, vendor);
    const send = withoutBlankEvents(withoutDetours(limited, host, vendor));
    return { vendor, apiKey, baseURL, host, fetch: send };
}

/** The headers with a server's key; none without a key. */
export function keyHeaders({ apiKey, vendor }: Server): Readonly<Record<string, string>> {
    if (!apiKey) return {};
    return vendor.keyHeader
        ? { [vendor.keyHeader]: apiKey }
        : { authorization: `Bearer ${apiKey}` };
}

/** Gateways want the query of a base URL in each request: Azure's `?api-version=`. */
function withQuery(inner: typeof fetch, query = ""): typeof fetch {
    if (query === "") return inner;
    return async (input, init) => {
        if (input instanceof Request) return inner(input, init);
        const url = new URL(input);
        for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
        return inner(url, init);
    };
}

/** A captive portal or a wrong base URL answers anything with a page or a redirect; no vendor does. */
function withoutDetours(inner: typeof fetch, host: string, vendor: Vendor): typeof fetch {
    return async (...asked) => {
        const response = await inner(...asked);
        const { ok, status, headers } = response;
        const isPage = ok && /^text\/html\b/i.test(headers.get("content-type") ?? "");
        const target = status >= 300 && status < 400 ? headers.get("location") : null;
        if (!isPage && target === null) return response;
        void response.body?.cancel().catch(() => undefined);
        throw target === null ? webPage(host, vendor) : redirected(host, target, vendor);
    };
}
