import type { Provider } from "north-cli/plugin";
import { bedrockModels, describeModel } from "./models.js";
import { BEDROCK } from "./vendor.js";

export const bedrock: Provider = {
    id: BEDROCK.id,
    displayName: BEDROCK.name,
    models: bedrockModels,
    optionalKeyVariable: "AWS_BEARER_TOKEN_BEDROCK",
    baseURLVariable: BEDROCK.baseURLVariable,
    // The kit already times out without bytes; a long call is no event.
    silenceMs: 600_000,
    describesAnyModel: true,
    describe: describeModel,
    connect: async (settings) => (await import("./connect.js")).connect(settings),
};
