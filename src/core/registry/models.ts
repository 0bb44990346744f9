import type { ModelInfo, Provider } from "../../plugin/index.js";
import { nearName } from "../../base/near-name.js";
import { NorthError } from "../../base/north-error.js";
import type { Registry } from "./registry.js";

export interface ResolvedModel {
    readonly provider: Provider;
    readonly model: ModelInfo;
    /** Thinking was requested by the `-thinking` suffix. */
    readonly thinks: boolean;
    /** A notice for the user: an unknown price, a successor. */
    readonly notice?: string;
}

const THINKING = "-thinking";
/** How early to warn of a retirement, in milliseconds: vendors give 60 days' notice. */
const NOTICE_BEFORE_MS = 60 * 24 * 60 * 60 * 1000;

/** Limits that every current model supports, for models that nothing is known about. */
const ASSUMED_LIMITS = { aliases: [], contextTokens: 128_000, maxOutputTokens: 16_000 } as const;

/** Finds an alias, id or `provider/id`, each also with `-thinking`. Throws `unknown-model`. */
export function resolveModel(
    name: string,
    providers: readonly Provider[],
    now = Date.now()
): ResolvedModel {
    const scoped = scope(name, providers);
    const found =
        listed(scoped) ??
        withThinking(scoped, listed) ??
        describedThinking(scoped) ??
        described(scoped) ??
        unlisted(scoped);
    if (found === undefined) throw unknownModel(name, providers, now);
    return current(found, now);
}

/**
 * The provider's cheapest model for sub-agents, if it costs less than the current one; `undefined`
 * also if the current model's price is unknown, as on the user's own server.
 */
export function subAgentModel(
    { models }: Provider,
    current: ModelInfo,
    now = Date.now()
): ModelInfo | undefined {
    const costOf = ({ prices }: ModelInfo) => prices && prices.input + prices.output;
    let cheapest: ModelInfo | undefined;
    let least = costOf(current) ?? 0;
    for (const model of models) {
        const cost = costOf(model) ?? Infinity;
        if (!model.forSubAgents || isRetired(model, now) || cost >= least) continue;
        [cheapest, least] = [model, cost];
    }
    return cheapest;
}

/** A name that resolves to the same model. */
export function nameOf({ provider, model, thinks }: ResolvedModel): string {
    return `${provider.id}/${model.id}${thinks ? THINKING : ""}`;
}

/** Whether the vendor no longer serves it. */
export function isRetired({ retiresOn, replacedBy }: ModelInfo, now = Date.now()): boolean {
    return retiresOn === undefined ? replacedBy !== undefined : dayOf(now) >= retiresOn;
}

/** Sort key for pickers: usable models first, then newer before legacy ones. */
export function choiceRank({ isLegacy }: ModelInfo, hasKey: boolean): number {
    return (hasKey ? 0 : 2) + (isLegacy ? 1 : 0);
}

/**
 * The default model of the first provider with a key, or of the first server in `config.json` that
 * lists models and needs no key; `undefined` without any. Never a retired model.
 */
export async function defaultModel(
    providers: readonly Provider[],
    hasKey: (provider: Provider) => Promise<boolean>,
    now = Date.now()
): Promise<ResolvedModel | undefined> {
    for (const provider of providers) {
        const model = defaultOf(provider, now);
        if (!model || !(await hasKey(provider))) continue;
        return { provider, model, thinks: false };
    }
    return undefined;
}

function defaultOf(provider: Provider, now: number): ModelInfo | undefined {
    const { models, isConfigured } = provider;
    if (!needsKey(provider) && !isConfigured) return undefined;
    const served = models.filter((model) => !isRetired(model, now));
    return served.find(({ isDefault }) => isDefault) ?? served.find(({ isLegacy }) => !isLegacy);
}

interface Scope {
    readonly candidates: readonly Provider[];
    readonly wanted: string;
    readonly isScoped: boolean;
}

function scope(name: string, providers: readonly Provider[]): Scope {
    const slash = name.indexOf("/");
    const provider = providers.find(({ id }) => slash > 0 && id === name.slice(0, slash));
    return provider
        ? { candidates: [provider], wanted: name.slice(slash + 1), isScoped: true }
        : { candidates: providers, wanted: name, isScoped: false };
}

function listed({ candidates, wanted }: Scope): ResolvedModel | undefined {
    for (const provider of candidates) {
        const model = provider.models.find((known) => isNamed(known, wanted));
        if (model) return { provider, model, thinks: false };
    }
    return undefined;
}

function described({ candidates, wanted, isScoped }: Scope): ResolvedModel | undefined {
    for (const provider of candidates) {
        if (provider.describesAnyModel && !isScoped) continue;
        const model = provider.describe?.(wanted);
        if (!model) continue;
        const found = { provider, model, thinks: false };
        // Such a server has no catalogue to be missing from.
        return provider.describesAnyModel ? found : { ...found, notice: unlistedNotice(model) };
    }
    return undefined;
}

/** Vendors release models faster than North learns of them: accept an unlisted `vendor/id`. */
function unlisted({ candidates: [provider], wanted, isScoped }: Scope): ResolvedModel | undefined {
    if (!isScoped || !provider || !needsKey(provider)) return undefined;
    const id = wanted.trim();
    const model = { ...ASSUMED_LIMITS, id, displayName: id };
    const near = nearName(
        id,
        provider.models.flatMap((known) => [known.id, ...known.aliases])
    );
    const hint = near === undefined ? "" : ` Did you mean ${provider.id}/${near}?`;
    return { provider, model, thinks: false, notice: unlistedNotice(model) + hint };
}

/** Not for servers with arbitrary models, whose names may really end in -thinking. */
function describedThinking({ candidates, ...scoped }: Scope): ResolvedModel | undefined {
    const families = candidates.filter(({ describesAnyModel }) => !describesAnyModel);
    return withThinking({ ...scoped, candidates: families }, described);
}

function withThinking(
    scoped: Scope,
    find: (scoped: Scope) => ResolvedModel | undefined
): ResolvedModel | undefined {
    if (!normalizeName(scoped.wanted).endsWith(THINKING)) return undefined;
    const found = find({ ...scoped, wanted: scoped.wanted.trim().slice(0, -THINKING.length) });
    return found?.model.thinking === undefined ? undefined : { ...found, thinks: true };
}

function unlistedNotice({ id, displayName, prices }: ModelInfo): string {
    const stranger = `${id} is not in the catalogue:`;
    return prices === undefined
        ? `${stranger} its price is not known and its limits are cautious guesses.`
        : `${stranger} price and limits of ${displayName} are assumed.`;
}

function isNamed(model: ModelInfo, wanted: string): boolean {
    const name = normalizeName(wanted);
    return [model.id, ...model.aliases].some((known) => normalizeName(known) === name);
}

/** Normalizes a name; dots equal dashes, so `sonnet-4.5` finds `sonnet-4-5`. */
function normalizeName(name: string): string {
    return name.trim().toLowerCase().replaceAll(".", "-");
}

function current(found: ResolvedModel, now: number): ResolvedModel {
    const { provider, thinks } = found;
    const { id, retiresOn, replacedBy } = found.model;
    const successor = provider.models.find((model) => model.id === replacedBy);
    if (!isRetired(found.model, now)) {
        if (retiresOn === undefined || retiresOn > dayOf(now + NOTICE_BEFORE_MS)) return found;
        const then = successor ? `; North then uses ${successor.id}` : "";
        return { ...found, notice: `${id} retires on ${retiresOn}${then}.` };
    }
    if (!successor) return { ...found, notice: `${id} is retired.` };
    const notice = `${id} is retired; using ${successor.id}.`;
    return { ...current({ provider, model: successor, thinks }, now), notice };
}

/** The UTC day, as in catalogues: `YYYY-MM-DD`. */
export function dayOf(time: number): string {
    return new Date(time).toISOString().slice(0, 10);
}

function unknownModel(name: string, providers: readonly Provider[], now: number): NorthError {
    const needle = normalizeName(name);
    const served = providers.flatMap(({ models }) =>
        models.filter((model) => !isRetired(model, now))
    );
    // Several providers may have the same alias.
    const names = [...new Set(served.map(({ aliases, id }) => aliases[0] ?? id))];
    const similar = nearName(needle, names);
    const near = names.filter((known) => {
        const candidate = normalizeName(known);
        return known === similar || candidate.includes(needle) || needle.includes(candidate);
    });
    const suggestions = (near.length > 0 ? near : names).slice(0, 5).join(", ");
    return new NorthError("unknown-model", `There is no model called "${name}".`, [
        near.length === 1 ? `Did you mean ${suggestions}?` : `Try one of: ${suggestions}.`,
        "Run `north models` for the full list.",
    ]);
}

/** Whether a provider works only with a key, set by the user or obtained by a sign-in. */
export function needsKey({ keyVariable, signIn }: Provider): boolean {
    return (keyVariable ?? signIn) !== undefined;
}

/** Whether lists show its models: those of a plan only to who has signed in to it. */
export function isOffered({ keyVariable, signIn }: Provider, hasKey: boolean): boolean {
    return hasKey || keyVariable !== undefined || signIn === undefined;
}

/** Where a provider's key may be, required or not. */
export function keyVariableOf({ keyVariable, optionalKeyVariable }: Provider): string | undefined {
    return keyVariable ?? optionalKeyVariable;
}

export function keyVariables({ providers }: Pick<Registry, "providers">): readonly string[] {
    return [...providers.values()].flatMap(({ value }) => keyVariableOf(value) ?? []);
}
