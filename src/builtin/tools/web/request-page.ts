import type { IncomingMessage, RequestOptions } from "node:http";
import type { LookupFunction } from "node:net";
import { isExpectedError, NorthError } from "../../../base/north-error.js";
import {
    type AddressPolicy,
    type ResolveHost,
    resolveHostBySystem,
} from "../../../base/public-address.js";
import { proxyFor, ProxyError, throughProxy } from "../../../provider-kit/proxy.js";
import { checkLiteralAddress, refusedAddress } from "./web-target.js";

export interface RequestPageOptions {
    readonly isPublicAddress: AddressPolicy;
    readonly resolveHost?: ResolveHost;
    readonly signal: AbortSignal;
}

const HEADERS = {
    "user-agent": "north-cli",
    accept: "text/html, text/markdown, text/plain, application/json, application/xml, text/*",
    "accept-encoding": "gzip, deflate, br",
};

/**
 * Sends one GET request without following redirects, and resolves once the headers arrive. The
 * socket connects to exactly the addresses that were checked: the name is not looked up again,
 * which prevents DNS rebinding. A proxy does its own lookup; then the request is refused if this
 * machine resolves the name to a private address.
 */
export async function requestPage(url: URL, options: RequestPageOptions): Promise<IncomingMessage> {
    checkLiteralAddress(url, options.isPublicAddress);
    const { request } = await (url.protocol === "https:"
        ? import("node:https")
        : import("node:http"));
    const proxy = await proxyFor(url);
    if (proxy !== undefined) await checkBeforeProxy(url, options);
    const settings: RequestOptions = {
        method: "GET",
        headers: HEADERS,
        // No pooling: a pooled connection was not checked here.
        agent: proxy?.agent ?? false,
        ...(proxy === undefined ? { lookup: checkedLookup(options) } : {}),
        signal: options.signal,
    };
    const sent = request(url, settings);
    const response = new Promise<IncomingMessage>((resolve, reject) => {
        sent.once("response", resolve).on("error", reject);
    });
    sent.end();
    try {
        return await throughProxy(proxy, sent, response);
    } catch (error) {
        throw asExpected(url, error);
    }
}

async function checkBeforeProxy(
    url: URL,
    { resolveHost = resolveHostBySystem, isPublicAddress }: RequestPageOptions
): Promise<void> {
    // Behind many proxies, external names do not resolve locally.
    const addresses = await resolveHost(url.hostname).catch(() => []);
    const refused = addresses.find(({ address }) => !isPublicAddress(address));
    if (refused !== undefined) throw refusedAddress(url.hostname, refused.address);
}

function checkedLookup({
    isPublicAddress,
    resolveHost = resolveHostBySystem,
}: RequestPageOptions): LookupFunction {
    return (host, { all }, callback) => {
        resolveHost(host)
            .then((addresses) => {
                const [first] = addresses;
                const refused = addresses.find(({ address }) => !isPublicAddress(address));
                if (refused !== undefined) throw refusedAddress(host, refused.address);
                if (first === undefined) throw unreachable(host, "it has no address");
                if (all === true) callback(null, [...addresses]);
                else callback(null, first.address, first.family);
            })
            .catch((error: Error) => callback(error, ""));
    };
}

/** Returns aborts unchanged; converts any other connection error to an expected one. */
export function asExpected(url: URL, error: unknown): unknown {
    if (!(error instanceof Error) || error.name === "AbortError" || isExpectedError(error)) {
        return error;
    }
    if (error instanceof ProxyError) {
        const { cause, message } = error;
        const why = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
        return unreachable(url.host, `${message}${why}`, error);
    }
    const reason = "code" in error ? String(error.code) : error.message;
    return unreachable(url.host, reason, error);
}

const NEXT = "Check the URL, or fetch another page.";

function unreachable(host: string, reason: string, cause?: Error): NorthError {
    return new NorthError("network", `${host} could not be fetched: ${reason}.`, [NEXT], { cause });
}
