import { createCompatibleProvider } from "./create-provider.js";

/**
 * A server on this machine, found where Ollama listens: `--model local/MODEL` needs no settings.
 * LOCAL_BASE_URL leads to another one (llama.cpp, LM Studio, vLLM).
 */
export const local = createCompatibleProvider({
    name: "local",
    displayName: "Local server",
    baseURL: "http://127.0.0.1:11434/v1",
    baseURLVariable: "LOCAL_BASE_URL",
    // Ollama keeps a call to itself until it is whole, which takes minutes without a fast card.
    silenceMs: 300_000,
    prices: {
        input: 0,
        output: 0,
        cacheRead: 0,
        asOf: "2026-11-22",
        source: "Your own server charges nothing.",
    },
});
