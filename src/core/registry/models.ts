import type { ModelInfo, Provider } from "../../plugin/index.js";
import { NorthError } from "../../plugin/north-error.js";

/** A model and the provider that serves it. */
export interface ResolvedModel {
    readonly provider: Provider;
    readonly model: ModelInfo;
    /** What the user should know about it: an unknown price, a successor. */
    readonly notice?: string;
}

/** The model each provider starts with, in the order in which keys are looked for. */
const DEFAULTS: readonly { readonly provider: string; readonly model: string }[] = [
    { provider: "anthropic", model: "claude-sonnet-5-5" },
    { provider: "openai", model: "gpt-5.1" },
    { provider: "mistral", model: "mistral-medium-2508" },
];

/** Finds a model by alias, id or `provider/id`. Throws `unknown-model` with near names. */
export function resolveModel(name: string, providers: readonly Provider[]): ResolvedModel {
    const { candidates, wanted, isScoped } = scope(name, providers);
    for (const provider of candidates) {
        const model = provider.models.find((known) => isNamed(known, wanted));
        if (model) return current({ provider, model });
    }
    for (const provider of candidates) {
        if (provider.describesAnyModel && !isScoped) continue;
        const model = provider.describe?.(wanted);
        if (!model) continue;
        // Nobody keeps a catalogue of what such a server offers.
        if (provider.describesAnyModel) return { provider, model };
        const notice = `${model.id} is not in the catalogue: its price and limits are not known.`;
        return { provider, model, notice };
    }
    throw unknownModel(name, providers);
}

/** The default model of the first provider that has a key; `undefined` if none has. */
export async function defaultModel(
    providers: readonly Provider[],
    hasKey: (provider: Provider) => Promise<boolean>
): Promise<ResolvedModel | undefined> {
    for (const { provider: id, model } of DEFAULTS) {
        const provider = providers.find((candidate) => candidate.id === id);
        if (provider && (await hasKey(provider))) return resolveModel(`${id}/${model}`, providers);
    }
    return undefined;
}

function scope(name: string, providers: readonly Provider[]) {
    const slash = name.indexOf("/");
    const provider = providers.find(({ id }) => slash > 0 && id === name.slice(0, slash));
    return provider
        ? { candidates: [provider], wanted: name.slice(slash + 1), isScoped: true }
        : { candidates: providers, wanted: name, isScoped: false };
}

function isNamed(model: ModelInfo, wanted: string): boolean {
    const name = folded(wanted);
    return [model.id, ...model.aliases].some((known) => folded(known) === name);
}

/** Dots and dashes are the same, so that `sonnet-4.5` finds `sonnet-4-5`. */
function folded(name: string): string {
    return name.trim().toLowerCase().replaceAll(".", "-");
}

function current(found: ResolvedModel): ResolvedModel {
    const { replacedBy } = found.model;
    const successor = found.provider.models.find(({ id }) => id === replacedBy);
    if (replacedBy === undefined || !successor) return found;
    const notice = `${found.model.id} is retired; using ${successor.id}.`;
    return { ...current({ provider: found.provider, model: successor }), notice };
}

function unknownModel(name: string, providers: readonly Provider[]): NorthError {
    const needle = folded(name);
    const names = providers.flatMap(({ models }) =>
        models.filter((model) => !model.replacedBy).map((model) => model.aliases[0] ?? model.id)
    );
    const near = names.filter((known) => {
        const candidate = folded(known);
        return candidate.includes(needle) || needle.includes(candidate);
    });
    const suggestions = (near.length > 0 ? near : names).slice(0, 5).join(", ");
    return new NorthError("unknown-model", `There is no model called "${name}".`, [
        `Try one of: ${suggestions}.`,
        "Run `north models` for the whole list.",
    ]);
}
