import type { Effort, ModelInfo, Prices } from "north-cli/plugin";

// https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html

const EFFORTS: readonly Effort[] = ["low", "medium", "high"];
const MEDIA = { images: true, documents: true } as const;
const ADAPTIVE = {
    ...{ ...MEDIA, contextTokens: 1_000_000, maxOutputTokens: 128_000 },
    ...{ thinking: "adaptive", efforts: EFFORTS },
} as const satisfies Partial<ModelInfo>;
const BUDGET = {
    ...{ ...MEDIA, contextTokens: 200_000, maxOutputTokens: 64_000 },
    ...{ thinking: "budget", thinkingBudget: 5_000 },
} as const satisfies Partial<ModelInfo>;
const NOVA = {
    ...{ ...MEDIA, contextTokens: 300_000, maxOutputTokens: 10_000 },
} as const satisfies Partial<ModelInfo>;
/** Of a model that nothing is known about. */
const CAUTIOUS = { contextTokens: 128_000, maxOutputTokens: 8_192 } as const;

/**
 * Anthropic's own prices, which Bedrock charges for global profiles; a profile of a region costs a
 * tenth more.
 */
function prices(
    id: string,
    [input, cacheWrite, cacheWriteLong, cacheRead, output]: readonly number[]
): Prices | undefined {
    if (input === undefined || output === undefined) return undefined;
    const share = id.startsWith("global.") ? 1 : 1.1;
    const priced = (price = 0) => Math.round(price * share * 10_000) / 10_000;
    return {
        ...{ input: priced(input), output: priced(output), cacheRead: priced(cacheRead) },
        ...{ cacheWrite: priced(cacheWrite), cacheWriteLong: priced(cacheWriteLong) },
        asOf: "2026-11-22",
        isUnconfirmed: true,
        source: "https://platform.claude.com/docs/en/about-claude/pricing",
    };
}

interface Family {
    readonly pattern: RegExp;
    readonly traits: Omit<ModelInfo, "id" | "aliases" | "displayName" | "prices">;
    readonly prices?: readonly number[];
}

/** The first that matches counts. Prices: input, 5-minute and 1-hour write, cache read, output. */
const FAMILIES: readonly Family[] = [
    family(/anthropic\.claude-sonnet-5-5/, ADAPTIVE, [2, 2.5, 4, 0.1, 10]),
    family(/anthropic\.claude-opus-5-5/, { ...ADAPTIVE, alwaysThinks: true }, [4, 5, 8, 0.2, 20]),
    family(/anthropic\.claude-haiku-4-5/, BUDGET, [1, 1.25, 2, 0.1, 5]),
    family(/anthropic\.claude-opus-4-5/, BUDGET, [5, 6.25, 10, 0.5, 25]),
    family(/anthropic\.claude-sonnet-4-5/, BUDGET, [3, 3.75, 6, 0.3, 15]),
    // Later models think by themselves; asked for nothing else, each accepts it.
    family(/anthropic\.claude-[a-z]+-(?:4-[6-9]|[5-9])/, { ...ADAPTIVE, alwaysThinks: true }),
    family(/anthropic\.claude/, { ...MEDIA, contextTokens: 200_000, maxOutputTokens: 8_192 }),
    family(/amazon\.nova/, NOVA),
    family(/^/, CAUTIOUS),
];

function family(pattern: RegExp, traits: Family["traits"], prices?: readonly number[]): Family {
    return { pattern, traits, ...(prices && { prices }) };
}

/** Describes a model, an inference profile, or the ARN of one. */
export function describeModel(id: string): ModelInfo | undefined {
    if (!/^[a-zA-Z0-9][a-zA-Z0-9.:/_-]*$/.test(id)) return undefined;
    const found = FAMILIES.find(({ pattern }) => pattern.test(id));
    if (found === undefined) return undefined;
    const known = found.prices && prices(id, found.prices);
    return { id, aliases: [], displayName: id, ...found.traits, ...(known && { prices: known }) };
}

/** Global profiles work in each commercial region. */
export const bedrockModels: readonly ModelInfo[] = [
    ["global.anthropic.claude-sonnet-5-5", "Claude Sonnet 5.5 (Bedrock)"],
    ["global.anthropic.claude-opus-5-5", "Claude Opus 5.5 (Bedrock)"],
    ["global.anthropic.claude-haiku-4-5-20251001-v1:0", "Claude Haiku 4.5 (Bedrock)"],
].flatMap(([id = "", displayName = ""]) => {
    const model = describeModel(id);
    const isCheap = id.includes("haiku");
    return model ? [{ ...model, displayName, ...(isCheap && { forSubAgents: true }) }] : [];
});
