import type { Provider } from "north-cli/plugin";
import { describeModel, mistralModels, PROVIDER_ID } from "./models.js";

/** Mistral's chat completions. */
export const mistral: Provider = {
    id: PROVIDER_ID,
    displayName: "Mistral",
    models: mistralModels,
    keyVariable: "MISTRAL_API_KEY",
    baseURLVariable: "MISTRAL_BASE_URL",
    // The connection counts chunks; those of a long call's arguments are no events.
    silenceMs: 600_000,
    describe: describeModel,
    // The SDK takes its time to load: only once somebody talks to a model.
    checkKey: async (...asked) => (await import("./check-key.js")).checkKey(...asked),
    connect: async (settings) => (await import("./connect.js")).connect(settings),
};
