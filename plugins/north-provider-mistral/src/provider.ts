import type { Provider } from "north-cli/plugin";
import { MISTRAL } from "./vendor.js";
import { describeModel, mistralModels } from "./models.js";

export const mistral: Provider = {
    id: MISTRAL.id,
    displayName: MISTRAL.name,
    models: mistralModels,
    keyVariable: MISTRAL.keyVariable,
    baseURLVariable: MISTRAL.baseURLVariable,
    // The kit already times out without bytes; a long call's arguments yield bytes but no events.
    silenceMs: 600_000,
    describe: describeModel,
    // Imported lazily: the SDK is slow to load.
    checkKey: async (...asked) => (await import("./check-key.js")).checkKey(...asked),
    connect: async (settings) => (await import("./connect.js")).connect(settings),
};
