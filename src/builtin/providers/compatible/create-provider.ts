import type { Provider } from "../../../plugin/index.js";
import { EVENT_SILENCE } from "../../../provider-kit/limits.js";
import { type CompatibleDefinition, describeModel, toModelInfo } from "./definition.js";

export function createCompatibleProvider(definition: CompatibleDefinition): Provider {
    const { name, displayName = name, models = [], keyVariable, baseURLVariable } = definition;
    return {
        id: name,
        displayName,
        models: models.map((model) => toModelInfo(definition, model)),
        ...(keyVariable === undefined ? {} : { keyVariable }),
        ...(baseURLVariable === undefined ? {} : { baseURLVariable }),
        silenceMs: Math.max(EVENT_SILENCE, definition.silenceMs ?? 0),
        describesAnyModel: true,
        describe: (id) => (id === "" ? undefined : describeModel(definition, id)),
        discover: async (settings) =>
            (await import("./discover.js")).discover(definition, settings),
        connect: async (settings) => (await import("./connect.js")).connect(definition, settings),
    };
}
