import type { Provider } from "north-cli/plugin";
import { describeModel, googleModels } from "./models.js";
import { GOOGLE } from "./vendor.js";

export const google: Provider = {
    id: GOOGLE.id,
    displayName: GOOGLE.name,
    models: googleModels(),
    keyVariable: GOOGLE.keyVariable,
    baseURLVariable: GOOGLE.baseURLVariable,
    // The kit already times out without bytes; a long call arrives in one event.
    silenceMs: 600_000,
    describe: describeModel,
    checkKey: async (...asked) => (await import("./connect.js")).checkKey(...asked),
    connect: async (settings) => (await import("./connect.js")).connect(settings),
};
