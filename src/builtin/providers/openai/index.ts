import type { Provider } from "../../../plugin/index.js";
import { EVENT_SILENCE } from "../../../provider-kit/limits.js";
import { describeModel } from "./describe-model.js";
import { openaiModels, PROVIDER_ID } from "./models.js";

export const openai: Provider = {
    id: PROVIDER_ID,
    displayName: "OpenAI",
    models: openaiModels,
    keyVariable: "OPENAI_API_KEY",
    baseURLVariable: "OPENAI_BASE_URL",
    silenceMs: EVENT_SILENCE,
    describe: describeModel,
    checkKey: async (...asked) => (await import("./connect.js")).checkKey(...asked),
    connect: async (settings) => (await import("./connect.js")).connect(settings),
};
