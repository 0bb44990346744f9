import type { Effort, ModelInfo, Prices } from "../../../plugin/index.js";

/** Marks thinking as ours, so that no other provider sends it back. */
export const PROVIDER_ID = "anthropic";

// Sources, as of this day: the vendor's model pages, price list, release notes and deprecations:
// https://platform.claude.com/docs/en/about-claude/models/overview
// https://platform.claude.com/docs/en/about-claude/model-deprecations
const AS_OF = "2026-11-22";
const PRICING = "https://platform.claude.com/docs/en/about-claude/pricing";
const RELEASE_NOTES = "https://platform.claude.com/docs/en/release-notes/overview";

const READS = { images: true, documents: true, webSearch: true } as const;
const MILLION = { ...READS, contextTokens: 1_000_000, maxOutputTokens: 128_000 } as const;
const CLASSIC = { ...READS, contextTokens: 200_000, maxOutputTokens: 64_000 } as const;

// https://platform.claude.com/docs/en/build-with-claude/effort
const EFFORTS: readonly Effort[] = ["low", "medium", "high"];
/** Models from 4.6 on. */
const ADAPTIVE = { ...MILLION, thinking: "adaptive", efforts: EFFORTS } as const;
/** https://openrouter.ai/docs/guides/evaluate-and-optimize/model-migrations/claude-4-7 */
const TO_MAX = { ...ADAPTIVE, efforts: [...EFFORTS, "xhigh", "max"] } as const;
const DEFAULT = { ...ADAPTIVE, isDefault: true } as const;
const FOR_SUB_AGENTS = { ...ADAPTIVE, forSubAgents: true } as const;
/** Models that reject requests to disable thinking. */
const ALWAYS = { ...ADAPTIVE, alwaysThinks: true } as const;

/** Models up to 4.5: thinking takes a token budget. */
function budget(thinkingBudget: number) {
    return { ...CLASSIC, thinking: "budget", thinkingBudget } as const;
}

const OPUS_BUDGET = budget(16_000);
const SONNET_BUDGET = budget(10_000);
const HAIKU_BUDGET = budget(5_000);

/**
 * US dollars per million tokens. Cache writes cost 1.25 times the input, and those for an hour
 * twice as much, for all models. So does a search of the web: $10 per 1,000.
 */
function prices(input: number, cacheRead: number, output: number, source = PRICING): Prices {
    const cacheWrites = { cacheWrite: 1.25 * input, cacheWriteLong: 2 * input };
    return { input, ...cacheWrites, cacheRead, output, webSearch: 0.01, asOf: AS_OF, source };
}

const OPUS_5_PRICES = prices(5, 0.5, 25);
const OPUS_4_PRICES = prices(15, 1.5, 75);
const SONNET_4_PRICES = prices(3, 0.3, 15);

type Traits = Omit<ModelInfo, "id" | "displayName" | "aliases" | "prices">;

/** Adds aliases: a short name, the id without its date, and for the newest its family's name. */
function model(
    id: string,
    displayName: string,
    prices: Prices,
    traits: Traits,
    ...family: readonly string[]
): ModelInfo {
    const undated = id.replace(/-\d{8}$/, "");
    const names = undated === id ? [] : [undated];
    const aliases = [...family, undated.replace("claude-", ""), ...names];
    return { id, aliases, displayName, prices, ...traits };
}

const HAIKU_5_5_PRICES: Prices = {
    ...prices(0.1, 0.01, 0.5),
    // Cache reads and 1-hour cache writes of this band were found only in copies of the price list.
    above: {
        promptTokens: 100_000,
        prices: { ...prices(0.5, 0.05, 2.5), isUnconfirmed: true },
    },
};
// Cache reads went from $0.20 to $0.10 on 2026-10-07; older copies of the model page differ.
const SONNET_5_5_PRICES = prices(2, 0.1, 10, RELEASE_NOTES);
// Cache reads were found only in copies of the price list.
const FABLE_5_2_PRICES: Prices = { ...prices(8, 0.2, 40), isUnconfirmed: true };

const current: readonly ModelInfo[] = [
    model("claude-sonnet-5-5", "Claude Sonnet 5.5", SONNET_5_5_PRICES, DEFAULT, "sonnet"),
    model("claude-opus-5-5", "Claude Opus 5.5", prices(4, 0.2, 20), ALWAYS, "opus"),
    model("claude-haiku-5-5", "Claude Haiku 5.5", HAIKU_5_5_PRICES, FOR_SUB_AGENTS, "haiku"),
    model("claude-fable-5-2", "Claude Fable 5.2", FABLE_5_2_PRICES, ALWAYS, "fable"),
];

const SONNET_4 = { ...SONNET_BUDGET, replacedBy: "claude-sonnet-5-5" };
const SONNET_4_5 = { ...SONNET_4, retiresOn: "2026-11-30" };
const legacy: readonly ModelInfo[] = [
    model("claude-fable-5-1", "Claude Fable 5.1", prices(10, 0.25, 50), ALWAYS),
    model("claude-fable-5", "Claude Fable 5", prices(10, 1, 50), ALWAYS),
    model("claude-opus-5", "Claude Opus 5", OPUS_5_PRICES, ADAPTIVE),
    model("claude-sonnet-5", "Claude Sonnet 5", prices(2, 0.2, 10), ADAPTIVE),
    model("claude-opus-4-8", "Claude Opus 4.8", OPUS_5_PRICES, TO_MAX),
    model("claude-opus-4-7", "Claude Opus 4.7", OPUS_5_PRICES, TO_MAX),
    model("claude-opus-4-6", "Claude Opus 4.6", OPUS_5_PRICES, ADAPTIVE),
    model("claude-sonnet-4-6", "Claude Sonnet 4.6", SONNET_4_PRICES, ADAPTIVE),
    model("claude-opus-4-5-20251101", "Claude Opus 4.5", OPUS_5_PRICES, OPUS_BUDGET),
    model("claude-sonnet-4-5-20250929", "Claude Sonnet 4.5", SONNET_4_PRICES, SONNET_4_5),
    model("claude-haiku-4-5-20251001", "Claude Haiku 4.5", prices(1, 0.1, 5), HAIKU_BUDGET),
];

const OPUS_4 = { ...OPUS_BUDGET, maxOutputTokens: 32_000, replacedBy: "claude-opus-5-5" };

/** Kept for conversations and costs that refer to them. */
const retired: readonly ModelInfo[] = [
    model("claude-opus-4-1-20250805", "Claude Opus 4.1", OPUS_4_PRICES, OPUS_4),
    {
        ...model("claude-opus-4-20250514", "Claude Opus 4", OPUS_4_PRICES, OPUS_4),
        aliases: ["opus-4", "claude-opus-4-0"],
    },
    {
        ...model("claude-sonnet-4-20250514", "Claude Sonnet 4", SONNET_4_PRICES, SONNET_4),
        aliases: ["sonnet-4", "claude-sonnet-4-0"],
    },
];

export const anthropicModels: readonly ModelInfo[] = [
    ...current,
    ...legacy.map((each) => ({ ...each, isLegacy: true })),
    ...retired,
];

const FAMILY = /^claude-(sonnet|opus|haiku|fable|mythos)-\d/;

/**
 * Describes an id of a known family that is not in the catalogue. A dated snapshot equals its base
 * model; a newer model gets cautious limits, no prices, and only options that all models accept.
 */
export function describeModel(id: string): ModelInfo | undefined {
    const exact = find(id);
    if (exact !== undefined) return exact;
    const base = find(id.replace(/-\d{8}$/, ""));
    if (base !== undefined) return { ...base, id, aliases: [] };
    if (!FAMILY.test(id)) return undefined;
    const name = { id, aliases: [], displayName: id };
    return { ...name, ...CLASSIC, thinking: "adaptive", alwaysThinks: true };
}

function find(name: string): ModelInfo | undefined {
    return anthropicModels.find((model) => model.id === name || model.aliases.includes(name));
}
