import type { ModelInfo, Prices } from "../../../plugin/index.js";
import type { Vendor } from "../../../provider-kit/failures.js";

/** A model of a server; what is not said of it is the server's, or a cautious guess. */
export type CompatibleModel = Partial<ModelInfo> & Pick<ModelInfo, "id">;

export interface CompatibleDefinition {
    /** The provider's id: `openrouter`, so that `openrouter/MODEL` names its models. */
    readonly name: string;
    readonly displayName?: string;
    /** Up to and with the version: `http://127.0.0.1:11434/v1`. */
    readonly baseURL: string;
    readonly baseURLVariable?: string;
    /** The environment variable of the key; absent where none is needed. */
    readonly keyVariable?: string;
    /** Those to list and to choose from without asking the server. Any other can be named too. */
    readonly models?: readonly CompatibleModel[];
    /** Of models without prices of their own; absent: unknown. */
    readonly prices?: Prices;
    /** Of models without a limit of their own. */
    readonly contextTokens?: number;
    /** How long it may stay silent in the middle of an answer, in milliseconds. */
    readonly silenceMs?: number;
}

/** What a server nobody told us about is trusted with. */
const USUAL_CONTEXT = 32_768;
const MOST_OUTPUT = 32_768;

export function toModelInfo(definition: CompatibleDefinition, model: CompatibleModel): ModelInfo {
    const contextTokens = model.contextTokens ?? definition.contextTokens ?? USUAL_CONTEXT;
    const prices = model.prices ?? definition.prices;
    return {
        aliases: [],
        displayName: model.id,
        maxOutputTokens: Math.min(MOST_OUTPUT, Math.floor(contextTokens / 4)),
        ...model,
        contextTokens,
        ...(prices === undefined ? {} : { prices }),
    };
}

export function describeModel(definition: CompatibleDefinition, id: string): ModelInfo {
    const listed = definition.models?.find((model) => model.id === id);
    return toModelInfo(definition, listed ?? { id });
}

export function toVendor(definition: CompatibleDefinition): Vendor {
    const { name, displayName = name, keyVariable, baseURLVariable, baseURL } = definition;
    return { id: name, name: displayName, keyVariable, baseURLVariable, baseURL };
}
