import type { ModelInfo, Prices } from "../../../plugin/index.js";
import type { Vendor } from "../../../provider-kit/failures.js";

/** A server's model; absent properties come from the server's definition or cautious defaults. */
export type CompatibleModel = Partial<ModelInfo> & Pick<ModelInfo, "id">;

export interface CompatibleDefinition {
    /** The provider's id: `openrouter` makes its models `openrouter/MODEL`. */
    readonly name: string;
    readonly displayName?: string;
    /** Up to and including the version: `http://127.0.0.1:11434/v1`. */
    readonly baseURL: string;
    readonly baseURLVariable?: string;
    /** The key's environment variable; absent if the server needs no key. */
    readonly keyVariable?: string;
    /** The header that carries the key alone; by default it is a bearer token. */
    readonly keyHeader?: string;
    /** Models to offer without asking the server. Any other model can be named too. */
    readonly models?: readonly CompatibleModel[];
    /** Prices of models without their own; unknown if absent. */
    readonly prices?: Prices;
    /** For models without their own limit. */
    readonly contextTokens?: number;
    /** How long a reply may stall, in milliseconds. */
    readonly silenceMs?: number;
}

/** Assumed for servers we know nothing about. */
const DEFAULT_CONTEXT = 32_768;
const MAX_OUTPUT = 32_768;

export function toModelInfo(definition: CompatibleDefinition, model: CompatibleModel): ModelInfo {
    const contextTokens = model.contextTokens ?? definition.contextTokens ?? DEFAULT_CONTEXT;
    const prices = model.prices ?? definition.prices;
    return {
        aliases: [],
        displayName: model.id,
        maxOutputTokens: Math.min(MAX_OUTPUT, Math.floor(contextTokens / 4)),
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
    const { name, displayName = name, models: _models, ...rest } = definition;
    return { id: name, name: displayName, ...rest };
}
