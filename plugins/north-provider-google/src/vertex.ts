import {
    type ConnectionSettings,
    type ModelConnection,
    type ModelInfo,
    type Provider,
} from "north-cli/plugin";
import { type Limits, openServer } from "north-cli/provider-kit";
import { describeModel, googleModels } from "./models.js";
import { vertexAddress, VERTEX } from "./vendor.js";

// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference

/** Gemini on Google Cloud, with its own credentials. What it charges depends on the location. */
export const vertex: Provider = {
    id: VERTEX.id,
    displayName: VERTEX.name,
    models: googleModels().map(asOffered),
    optionalKeyVariable: "CLOUDSDK_AUTH_ACCESS_TOKEN",
    baseURLVariable: VERTEX.baseURLVariable,
    silenceMs: 600_000,
    describesAnyModel: true,
    describe: (id) => {
        const model = describeModel(id);
        return model && asOffered(model);
    },
    connect: async (settings) => connect(settings),
};

/** Names without a provider mean the Gemini API. */
function asOffered({ prices: _prices, isDefault: _default, ...model }: ModelInfo): ModelInfo {
    return { ...model, aliases: [] };
}

/** Credentials are looked up at the first request. Rejects with `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits?: Limits
): Promise<ModelConnection> {
    const { connectTo } = await import("./connect.js");
    const { findCredentials } = await import("./vertex-credentials.js");
    const location = process.env.GOOGLE_CLOUD_LOCATION || "global";
    const baseURL = settings.baseURL || vertexAddress(location);
    const server = openServer({ ...settings, baseURL }, VERTEX, limits);
    const credentials = findCredentials(server);
    return connectTo(server, async (modelId, signal) => {
        const { project, headers } = await credentials(signal);
        const path = ["projects", project, "locations", location, "publishers/google/models"];
        const url = [server.baseURL, "v1beta1", ...path, encodeURIComponent(modelId)].join("/");
        return { url, headers };
    });
}
