import { parseUrl } from "../../../base/parse-url.js";
import { NorthError } from "../../../base/north-error.js";
import type { ConnectionSettings, ModelInfo, Provider } from "../../../plugin/index.js";
import type { Vendor } from "../../../provider-kit/failures.js";
import { describeModel as openaiModel } from "./index.js";
import { EVENT_SILENCE, type Limits } from "../../../provider-kit/limits.js";

// https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle

const AZURE: Vendor = {
    id: "azure",
    name: "Azure OpenAI",
    keyVariable: "AZURE_OPENAI_API_KEY",
    baseURLVariable: "AZURE_OPENAI_ENDPOINT",
    baseURL: "https://NAME.openai.azure.com",
    keyHeader: "api-key",
};

/** Of a deployment whose name says nothing. */
const LIMITS: Partial<ModelInfo> & Pick<ModelInfo, "contextTokens" | "maxOutputTokens"> = {
    contextTokens: 128_000,
    maxOutputTokens: 16_000,
    images: true,
};

/** OpenAI's models in the user's own resource, named after their deployments. */
export const azure: Provider = {
    id: AZURE.id,
    displayName: AZURE.name,
    models: [],
    keyVariable: AZURE.keyVariable,
    baseURLVariable: AZURE.baseURLVariable,
    silenceMs: EVENT_SILENCE,
    describesAnyModel: true,
    describe: (id) => (id === "" ? undefined : describeDeployment(id)),
    checkKey: async (settings, options) =>
        (await import("./connect.js")).checkKey(withPath(settings), options, AZURE),
    connect: async (settings) => connect(settings),
};

/** Most deployments are named after their model; what they cost and may do depends on the contract. */
function describeDeployment(id: string): ModelInfo {
    const {
        retiresOn: _day,
        replacedBy: _id,
        prices: _prices,
        webSearch: _search,
        ...model
    } = openaiModel(id) ?? LIMITS;
    return { ...model, id, aliases: [], displayName: id };
}

/** Rejects with `invalid-request` without the resource's address. */
export async function connect(settings: ConnectionSettings, limits?: Limits) {
    return (await import("./connect.js")).connect(withPath(settings), limits, AZURE);
}

/** Users paste the resource's address with or without the path. */
function withPath(settings: ConnectionSettings): ConnectionSettings {
    const url = parseUrl(settings.baseURL ?? "");
    if (url === undefined) {
        throw new NorthError(
            "invalid-request",
            `${AZURE.name} needs the address of your resource.`,
            [`Set ${AZURE.baseURLVariable} to something like ${AZURE.baseURL}.`]
        );
    }
    if (url.pathname === "/") url.pathname = "/openai/v1";
    return { ...settings, baseURL: url.href };
}
