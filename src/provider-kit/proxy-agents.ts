import type http from "node:http";
import { HttpProxyAgent } from "http-proxy-agent";
import { HttpsProxyAgent } from "https-proxy-agent";
import { getProxyForUrl } from "proxy-from-env";
import { NorthError } from "../base/north-error.js";
import { parseUrl } from "../base/parse-url.js";
import { parseProxyUrl } from "../base/proxy-url.js";

/** The proxy for a URL. */
export interface Proxy {
    /** Without its password: `http://proxy.example:3128`. */
    readonly name: string;
    readonly agent: http.Agent;
}

const OPTIONS = { keepAlive: true };
const agents = new Map<string, http.Agent>();

/** The environment's proxy for a URL. Throws `network` if the proxy's own URL is invalid. */
export function findProxy(url: URL): Proxy | undefined {
    const named = getProxyForUrl(url.href);
    if (named === "") return undefined;
    const proxy = parseProxyUrl(named);
    if (proxy === undefined) {
        const scheme = parseUrl(named)?.protocol.slice(0, -1) ?? "an invalid URL";
        throw new NorthError("network", `The environment's proxy uses ${scheme}.`, [
            "Set HTTPS_PROXY to something like http://proxy.example:3128, or NO_PROXY.",
        ]);
    }
    const key = `${url.protocol} ${named}`;
    const agent = agents.get(key) ?? agentFor(url, proxy);
    agents.set(key, agent);
    return { name: proxy.origin, agent };
}

/** Proxies forward plain HTTP; everything else is tunnelled. */
function agentFor({ protocol }: URL, proxy: URL): http.Agent {
    return protocol === "https:"
        ? new HttpsProxyAgent(proxy, OPTIONS)
        : new HttpProxyAgent(proxy, OPTIONS);
}
