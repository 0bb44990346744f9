import {
    type ConnectionSettings,
    type ModelConnection,
    type ModelInfo,
    type Provider,
} from "north-cli/plugin";
import type { Limits } from "north-cli/provider-kit";
import { claudeModels, describeClaude, isClaude } from "./claude-models.js";
import { describeModel, googleModels } from "./models.js";
import { vertexAddress, VERTEX } from "./vendor.js";

// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference

const location = () => process.env.GOOGLE_CLOUD_LOCATION || "global";

/** Gemini and Claude on Google Cloud, with its own credentials. */
export const vertex: Provider = {
    id: VERTEX.id,
    displayName: VERTEX.name,
    models: [...googleModels().map(asOffered), ...claudeModels(location())],
    optionalKeyVariable: "CLOUDSDK_AUTH_ACCESS_TOKEN",
    baseURLVariable: VERTEX.baseURLVariable,
    silenceMs: 600_000,
    describesAnyModel: true,
    describe: (id) => {
        const model = describeModel(id);
        return model ? asOffered(model) : describeClaude(id, location());
    },
    connect: async (settings) => connect(settings),
};

/** Names without a provider mean the Gemini API. What Gemini costs depends on the location. */
function asOffered({ prices: _prices, isDefault: _default, ...model }: ModelInfo): ModelInfo {
    return { ...model, aliases: [] };
}

/** Credentials are looked up at the first request. Rejects with `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits?: Limits
): Promise<ModelConnection> {
    const { openServer } = await import("north-cli/provider-kit");
    const { connectTo, GEMINI } = await import("./connect.js");
    const { CLAUDE } = await import("./claude.js");
    const { findCredentials } = await import("./vertex-credentials.js");
    const place = location();
    const baseURL = settings.baseURL || vertexAddress(place);
    const server = openServer({ ...settings, baseURL }, VERTEX, limits);
    const credentials = findCredentials(server);
    const open = (protocol: typeof GEMINI, version: string, publisher: string) => {
        const endpointOf = async (modelId: string, signal: AbortSignal) => {
            const { project, headers } = await credentials(signal);
            const path = ["projects", project, "locations", place, "publishers", publisher];
            const model = encodeURIComponent(modelId).replace("%40", "@");
            return { url: [server.baseURL, version, ...path, "models", model].join("/"), headers };
        };
        return connectTo(server, endpointOf, protocol);
    };
    const gemini = open(GEMINI, "v1beta1", "google");
    const claude = open(CLAUDE, "v1", "anthropic");
    return {
        stream: (request, options) =>
            (isClaude(request.model.id) ? claude : gemini).stream(request, options),
    };
}
