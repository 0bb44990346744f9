import type { ModelRequest } from "north-cli/plugin";
import { type BodyMemory, createBodyJoiner, type Vendor } from "north-cli/provider-kit";
import { toContents } from "./message-mapping.js";
import { isGemini3 } from "./models.js";

// https://ai.google.dev/api/generate-content#request-body

/**
 * Builds request bodies with the messages last: Gemini caches equal beginnings by itself.
 * https://ai.google.dev/gemini-api/docs/caching
 */
export function createBodyBuilder(memory: BodyMemory, { id }: Vendor) {
    const join = createBodyJoiner(
        "contents",
        (message, model) => toContents(message, model, id),
        memory
    );
    return (request: ModelRequest) => {
        const { model, messages } = request;
        return join({ settings: settingsOf(request), messages, model });
    };
}

function settingsOf(request: ModelRequest): object {
    const { system, tools, maxOutputTokens, webSearch } = request;
    const declarations = tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        parametersJsonSchema: inputSchema,
    }));
    return {
        ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
        ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: declarations }] }),
        // https://ai.google.dev/gemini-api/docs/google-search
        ...(webSearch && { tools: [{ googleSearch: {} }] }),
        ...(request.tier && { service_tier: request.tier }),
        generationConfig: { maxOutputTokens, ...thinkingOf(request) },
    };
}

/** https://ai.google.dev/gemini-api/docs/thinking: Gemini 3 cannot turn it off, only down. */
function thinkingOf({ model, thinking, effort }: ModelRequest): object {
    if (!isGemini3(model.id)) return {};
    const level = thinking ? effort : "low";
    return {
        thinkingConfig: {
            includeThoughts: thinking,
            ...(level === undefined ? {} : { thinkingLevel: level }),
        },
    };
}
