import { azure } from "../openai/azure.js";
import { chatgpt } from "../openai/chatgpt.js";
import type { Provider } from "../../../plugin/index.js";
import { createCompatibleProvider } from "./create-provider.js";
import type { CompatibleDefinition } from "./definition.js";

/**
 * Hosts of many vendors' models, and vendors that speak chat completions. Their own lists name the
 * models, windows, prices and capabilities.
 */
const hosts = [
    // https://openrouter.ai/docs/quickstart
    ["openrouter", "OpenRouter", "https://openrouter.ai/api/v1"],
    // https://vercel.com/docs/ai-gateway/openai-compat
    ["ai-gateway", "Vercel AI Gateway", "https://ai-gateway.vercel.sh/v1"],
    ["groq", "Groq", "https://api.groq.com/openai/v1"],
    // https://api-docs.deepseek.com
    ["deepseek", "DeepSeek", "https://api.deepseek.com/v1"],
    // https://docs.x.ai/docs/api-reference
    ["xai", "xAI", "https://api.x.ai/v1"],
].map(([name = "", displayName = "", baseURL = ""]) => {
    const prefix = name.replace("-", "_").toUpperCase();
    const definition = {
        ...{ name, displayName, baseURL },
        keyVariable: `${prefix}_API_KEY`,
        baseURLVariable: `${prefix}_BASE_URL`,
    };
    const provider = createCompatibleProvider(definition);
    return name === "openrouter" ? withSignIn(provider, definition) : provider;
});

function withSignIn(provider: Provider, definition: CompatibleDefinition): Provider {
    return {
        ...provider,
        signIn: async (...asked) =>
            (await import("./openrouter-sign-in.js")).signInToOpenRouter(definition, ...asked),
    };
}

/** A server of the same name in `config.json` replaces them. */
export const knownServers = [...hosts, azure, chatgpt];
