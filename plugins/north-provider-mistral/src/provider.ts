import type { Provider } from "north-cli/plugin";
import { MISTRAL } from "./vendor.js";
import { describeModel, mistralModels } from "./models.js";

/** Mistral's chat completions. */
export const mistral: Provider = {
    id: MISTRAL.id,
    displayName: MISTRAL.name,
    models: mistralModels,
    keyVariable: MISTRAL.keyVariable,
    baseURLVariable: MISTRAL.baseURLVariable,
    // The kit watches bytes; the arguments of a long call are no events.
    silenceMs: 600_000,
    describe: describeModel,
    // The SDK takes its time to load: only once somebody talks to a model.
    checkKey: async (...asked) => (await import("./check-key.js")).checkKey(...asked),
    connect: async (settings) => (await import("./connect.js")).connect(settings),
};
