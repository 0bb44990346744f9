import { createCompatibleProvider } from "./create-provider.js";

/**
 * A local server, by default at Ollama's address: `--model local/MODEL` needs no settings.
 * LOCAL_BASE_URL selects another one (llama.cpp, LM Studio, vLLM).
 */
export const local = createCompatibleProvider({
    name: "local",
    displayName: "Local server",
    baseURL: "http://127.0.0.1:11434/v1",
    baseURLVariable: "LOCAL_BASE_URL",
    // Ollama buffers a tool call until it is complete, which takes minutes without a fast GPU.
    silenceMs: 300_000,
    prices: {
        input: 0,
        output: 0,
        cacheRead: 0,
        asOf: "2026-11-22",
        source: "Your own server charges nothing.",
    },
});
