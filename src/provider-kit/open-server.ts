import { NorthError } from "../base/north-error.js";
import type { ConnectionSettings } from "../plugin/index.js";
import { type Limits, LIMITS, withLimits } from "./limits.js";
import { noKey, type Vendor } from "./failures.js";
import { createNodeHttpFetch } from "./node-http-fetch.js";

/** Where and how to send requests. */
export interface Server {
    readonly vendor: Vendor;
    /** Absent where the vendor needs none. */
    readonly apiKey?: string;
    /** As it was set, without slashes at its end. */
    readonly baseURL: string;
    /** Host and port, for `networkFailure`. */
    readonly host: string;
    /** The one from the settings, within `limits`. An SDK needs no time limits of its own. */
    readonly fetch: typeof fetch;
}

/**
 * Checks the settings of `Provider.connect` and its like. Throws `no-api-key` where the vendor needs
 * a key and there is none, `invalid-request` where the base URL is not one.
 */
export function openServer(
    settings: ConnectionSettings,
    vendor: Vendor,
    limits: Limits = LIMITS
): Server {
    const { apiKey, fetch = createNodeHttpFetch() } = settings;
    if (vendor.keyVariable !== undefined && !apiKey) throw noKey(vendor);
    const baseURL = (settings.baseURL || vendor.baseURL).replace(/\/+$/, "");
    if (!/^https?:/.test(baseURL) || !URL.canParse(baseURL)) {
        const { baseURLVariable: variable = "baseURL in config.json" } = vendor;
        throw new NorthError("invalid-request", `${baseURL} is not a URL of a server.`, [
            `Set ${variable} to something like ${vendor.baseURL}, or unset it.`,
        ]);
    }
    const { host } = new URL(baseURL);
    return { vendor, apiKey, baseURL, host, fetch: withLimits(fetch, limits, vendor) };
}
