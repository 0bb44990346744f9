import type http from "node:http";
import { isExpectedError } from "../base/north-error.js";
import type { Proxy } from "./proxy-agents.js";

/** Connecting to a proxy failed, or the proxy refused to connect to the server. */
export class ProxyError extends Error {
    constructor(
        readonly proxy: string,
        /** The proxy's response status, if it responded. */
        readonly status?: number,
        cause?: unknown
    ) {
        super(`The proxy ${proxy} ${status === undefined ? "failed" : `answered ${status}`}`, {
            cause,
        });
    }
}

const VARIABLES = ["https_proxy", "http_proxy", "all_proxy"];

/**
 * The proxy for a URL from `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in upper or
 * lower case. Loads nothing if none is set.
 */
export async function proxyFor(url: URL): Promise<Proxy | undefined> {
    const { env } = process;
    if (!VARIABLES.some((name) => env[name] || env[name.toUpperCase()])) return undefined;
    const { findProxy } = await import("./proxy-agents.js");
    return findProxy(url);
}

/**
 * Resolves to the response; errors name the proxy. Watches `request` for a tunnel that the proxy
 * refuses, because its answer would pass for the server's.
 */
export function throughProxy<Response extends http.IncomingMessage>(
    proxy: Proxy | undefined,
    request: http.ClientRequest,
    response: Promise<Response>
): Promise<Response> {
    if (proxy === undefined) return response;
    const { name } = proxy;
    return new Promise((resolve, reject) => {
        const refuse = (status: number) => {
            reject(new ProxyError(name, status));
            request.destroy();
        };
        // No status if the proxy forwards plain HTTP.
        request.once("proxyConnect", ({ statusCode = 200 }: { readonly statusCode?: number }) => {
            if (statusCode !== 200) refuse(statusCode);
        });
        response.then(
            (answer) => (answer.statusCode === 407 ? refuse(407) : resolve(answer)),
            (error: unknown) => {
                const isOurs =
                    isExpectedError(error) ||
                    (error instanceof Error && error.name === "AbortError");
                reject(isOurs ? error : new ProxyError(name, undefined, error));
            }
        );
    });
}
