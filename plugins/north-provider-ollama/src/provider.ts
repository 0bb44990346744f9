import type { ConnectionSettings, ModelInfo, Provider } from "north-cli/plugin";
import type { Vendor } from "north-cli/provider-kit";

export const OLLAMA = {
    id: "ollama",
    name: "Ollama",
    baseURLVariable: "OLLAMA_HOST",
    baseURL: "http://127.0.0.1:11434",
} as const satisfies Vendor;

/** Ollama's own default, often 4,096, is less than a first request. */
const DEFAULT_WINDOW = 32_768;

/** `window`: the largest to ask for, in tokens; a larger one takes more memory. */
export function createOllama(window = DEFAULT_WINDOW): Provider {
    return {
        id: OLLAMA.id,
        displayName: OLLAMA.name,
        models: [],
        baseURLVariable: OLLAMA.baseURLVariable,
        // A long prompt takes minutes to read without a fast GPU.
        silenceMs: 600_000,
        describesAnyModel: true,
        describe: (id) => (id === "" ? undefined : describeModel(id, window)),
        discover: async (settings) =>
            (await import("./discover.js")).discover(withAddress(settings), window),
        connect: async (settings) => (await import("./connect.js")).connect(withAddress(settings)),
    };
}

export function describeModel(id: string, contextTokens: number): ModelInfo {
    return {
        id,
        aliases: [],
        displayName: id,
        contextTokens,
        maxOutputTokens: Math.floor(contextTokens / 4),
        prices: {
            ...{ input: 0, output: 0, cacheRead: 0 },
            asOf: "2026-11-26",
            source: "Your own server charges nothing.",
        },
    };
}

function withAddress({ baseURL, ...settings }: ConnectionSettings): ConnectionSettings {
    return baseURL === undefined ? settings : { ...settings, baseURL: toAddress(baseURL) };
}

/** OLLAMA_HOST is also what the server listens on: `0.0.0.0`, `:port`, `host`, `host:port` or a URL. */
function toAddress(host: string): string {
    if (/^https?:\/\//.test(host)) return host;
    const withPort = /:\d+$/.test(host) ? host : `${host}:11434`;
    return `http://${withPort.replace(/^(?:0\.0\.0\.0)?(?=:)/, "127.0.0.1")}`;
}
