import type { Effort, ModelInfo, Prices } from "../../../plugin/index.js";

/** The name that thinking keeps, so that no other provider sends it back. */
export const PROVIDER_ID = "anthropic";

// Read off the vendor's model pages, price list, release notes and deprecations on this day:
// https://platform.claude.com/docs/en/about-claude/models/overview
// https://platform.claude.com/docs/en/about-claude/model-deprecations
const AS_OF = "2026-11-22";
const PRICING = "https://platform.claude.com/docs/en/about-claude/pricing";
const RELEASE_NOTES = "https://platform.claude.com/docs/en/release-notes/overview";

const MILLION = { contextTokens: 1_000_000, maxOutputTokens: 128_000 } as const;
const CLASSIC = { contextTokens: 200_000, maxOutputTokens: 64_000 } as const;

// https://platform.claude.com/docs/en/build-with-claude/effort
const EFFORTS: readonly Effort[] = ["low", "medium", "high"];
/** From 4.6 on. */
const ADAPTIVE = { images: true, thinking: "adaptive", efforts: EFFORTS } as const;
/** To be told not to think is an error to these. */
const ALWAYS = { ...ADAPTIVE, alwaysThinks: true } as const;

/** Up to 4.5: at most so many tokens of thinking. */
function budget(thinkingBudget: number) {
    return { images: true, thinking: "budget", thinkingBudget } as const;
}

const OPUS_BUDGET = budget(16_000);
const SONNET_BUDGET = budget(10_000);
const HAIKU_BUDGET = budget(5_000);

/** US dollars a million tokens, in the order of the vendor's price list. */
function prices(
    input: number,
    cacheWrite: number,
    cacheWriteLong: number,
    cacheRead: number,
    output: number,
    source = PRICING
): Prices {
    return { input, cacheWrite, cacheWriteLong, cacheRead, output, asOf: AS_OF, source };
}

const OPUS_5_PRICES = prices(5, 6.25, 10, 0.5, 25);
const OPUS_4_PRICES = prices(15, 18.75, 30, 1.5, 75);
const SONNET_4_PRICES = prices(3, 3.75, 6, 0.3, 15);

const current: readonly ModelInfo[] = [
    {
        id: "claude-sonnet-5-5",
        aliases: ["sonnet", "sonnet-5-5"],
        displayName: "Claude Sonnet 5.5",
        ...MILLION,
        // Cache reads went from $0.20 to $0.10 on 2026-10-07; older copies of the model page differ.
        prices: prices(2, 2.5, 4, 0.1, 10, RELEASE_NOTES),
        ...ADAPTIVE,
    },
    {
        id: "claude-opus-5-5",
        aliases: ["opus", "opus-5-5"],
        displayName: "Claude Opus 5.5",
        ...MILLION,
        prices: prices(4, 5, 8, 0.2, 20),
        ...ALWAYS,
    },
    {
        id: "claude-haiku-5-5",
        aliases: ["haiku", "haiku-5-5"],
        displayName: "Claude Haiku 5.5",
        ...MILLION,
        prices: {
            ...prices(0.1, 0.125, 0.2, 0.01, 0.5),
            // This band was read in copies of the price list only.
            above: {
                promptTokens: 100_000,
                prices: { ...prices(0.5, 0.625, 1, 0.05, 2.5), isUnconfirmed: true },
            },
        },
        ...ADAPTIVE,
    },
    {
        id: "claude-fable-5-2",
        aliases: ["fable", "fable-5-2"],
        displayName: "Claude Fable 5.2",
        ...MILLION,
        // Its cache reads were read in copies of the price list only.
        prices: { ...prices(8, 10, 16, 0.2, 40), isUnconfirmed: true },
        ...ALWAYS,
    },
];

const legacy: readonly ModelInfo[] = [
    {
        id: "claude-fable-5-1",
        aliases: ["fable-5-1"],
        displayName: "Claude Fable 5.1",
        ...MILLION,
        prices: prices(10, 12.5, 20, 0.25, 50),
        ...ALWAYS,
    },
    {
        id: "claude-fable-5",
        aliases: ["fable-5"],
        displayName: "Claude Fable 5",
        ...MILLION,
        prices: prices(10, 12.5, 20, 1, 50),
        ...ALWAYS,
    },
    {
        id: "claude-opus-5",
        aliases: ["opus-5"],
        displayName: "Claude Opus 5",
        ...MILLION,
        prices: OPUS_5_PRICES,
        ...ADAPTIVE,
    },
    {
        id: "claude-sonnet-5",
        aliases: ["sonnet-5"],
        displayName: "Claude Sonnet 5",
        ...MILLION,
        prices: prices(2, 2.5, 4, 0.2, 10),
        ...ADAPTIVE,
    },
    {
        id: "claude-opus-4-8",
        aliases: ["opus-4-8"],
        displayName: "Claude Opus 4.8",
        ...MILLION,
        prices: OPUS_5_PRICES,
        ...ADAPTIVE,
    },
    {
        id: "claude-opus-4-7",
        aliases: ["opus-4-7"],
        displayName: "Claude Opus 4.7",
        ...MILLION,
        prices: OPUS_5_PRICES,
        ...ADAPTIVE,
    },
    {
        id: "claude-opus-4-6",
        aliases: ["opus-4-6"],
        displayName: "Claude Opus 4.6",
        ...MILLION,
        prices: OPUS_5_PRICES,
        ...ADAPTIVE,
    },
    {
        id: "claude-sonnet-4-6",
        aliases: ["sonnet-4-6"],
        displayName: "Claude Sonnet 4.6",
        ...MILLION,
        prices: SONNET_4_PRICES,
        ...ADAPTIVE,
    },
    {
        id: "claude-opus-4-5-20251101",
        aliases: ["opus-4-5", "claude-opus-4-5"],
        displayName: "Claude Opus 4.5",
        ...CLASSIC,
        prices: OPUS_5_PRICES,
        ...OPUS_BUDGET,
    },
    {
        id: "claude-sonnet-4-5-20250929",
        aliases: ["sonnet-4-5", "claude-sonnet-4-5"],
        displayName: "Claude Sonnet 4.5",
        ...CLASSIC,
        prices: SONNET_4_PRICES,
        ...SONNET_BUDGET,
        retiresOn: "2026-11-30",
        replacedBy: "claude-sonnet-5-5",
    },
    {
        id: "claude-haiku-4-5-20251001",
        aliases: ["haiku-4-5", "claude-haiku-4-5"],
        displayName: "Claude Haiku 4.5",
        ...CLASSIC,
        prices: prices(1, 1.25, 2, 0.1, 5),
        ...HAIKU_BUDGET,
    },
];

/** Kept for the conversations and the costs that name them. */
const retired: readonly ModelInfo[] = [
    {
        id: "claude-opus-4-1-20250805",
        aliases: ["opus-4-1", "claude-opus-4-1"],
        displayName: "Claude Opus 4.1",
        contextTokens: 200_000,
        maxOutputTokens: 32_000,
        prices: OPUS_4_PRICES,
        ...OPUS_BUDGET,
        replacedBy: "claude-opus-5-5",
    },
    {
        id: "claude-opus-4-20250514",
        aliases: ["opus-4", "claude-opus-4-0"],
        displayName: "Claude Opus 4",
        contextTokens: 200_000,
        maxOutputTokens: 32_000,
        prices: OPUS_4_PRICES,
        ...OPUS_BUDGET,
        replacedBy: "claude-opus-5-5",
    },
    {
        id: "claude-sonnet-4-20250514",
        aliases: ["sonnet-4", "claude-sonnet-4-0"],
        displayName: "Claude Sonnet 4",
        ...CLASSIC,
        prices: SONNET_4_PRICES,
        ...SONNET_BUDGET,
        replacedBy: "claude-sonnet-5-5",
    },
];

/** The vendor's models, the ones to choose first. */
export const anthropicModels: readonly ModelInfo[] = [...current, ...legacy, ...retired];
