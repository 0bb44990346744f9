import type { Provider } from "../../../plugin/index.js";
import { EVENT_SILENCE } from "../../../provider-kit/limits.js";
import { anthropicModels, describeModel, PROVIDER_ID } from "./models.js";

export const anthropic: Provider = {
    id: PROVIDER_ID,
    displayName: "Anthropic",
    models: anthropicModels,
    keyVariable: "ANTHROPIC_API_KEY",
    baseURLVariable: "ANTHROPIC_BASE_URL",
    silenceMs: EVENT_SILENCE,
    describe: describeModel,
    checkKey: async (...asked) => (await import("./connect.js")).checkKey(...asked),
    connect: async (settings) => (await import("./connect.js")).connect(settings),
};
