import type { ModelInfo, Prices } from "north-cli/plugin";

// https://ai.google.dev/gemini-api/docs/models, https://ai.google.dev/gemini-api/docs/deprecations

const LIMITS = { contextTokens: 1_048_576, maxOutputTokens: 65_536 } as const;

/** Gemini 3 takes a level of thinking, and none below the lowest. */
const GEMINI_3 = {
    ...LIMITS,
    images: true,
    documents: true,
    webSearch: true,
    thinking: "adaptive",
    efforts: ["low", "medium", "high"],
    alwaysThinks: true,
} as const satisfies Partial<ModelInfo>;

/** Of input, output and cache reads. */
type Rates = readonly [number, number, number];

/**
 * The vendor's prices, read in two public copies of its page that agree; `long` are those above
 * 200,000 tokens. Flex costs half: https://ai.google.dev/gemini-api/docs/flex-inference. Of searches
 * 5,000 a month are free, which is not known here.
 */
function prices(rates: Rates, long?: Rates): Prices {
    const at = (factor: number) => ({
        ...priced(rates, factor),
        ...(long && { above: { promptTokens: 200_000, prices: priced(long, factor) } }),
    });
    return { ...at(1), flex: at(0.5) };
}

function priced([input, output, cacheRead]: Rates, factor: number): Omit<Prices, "flex"> {
    return {
        webSearch: 0.014,
        ...{ input: input * factor, output: output * factor, cacheRead: cacheRead * factor },
        asOf: "2026-10-07",
        isUnconfirmed: true,
        source: "https://ai.google.dev/gemini-api/docs/pricing, quoted by models.dev",
    };
}

/** The models as of a day: an introductory price ends with the year 2026. */
export function googleModels(now = new Date()): readonly ModelInfo[] {
    const isIntroductory = now.toISOString() < "2027-01-01";
    return [
        {
            ...GEMINI_3,
            id: "gemini-3.8-flash",
            aliases: ["gemini", "gemini-flash"],
            displayName: "Gemini 3.8 Flash",
            prices: prices(isIntroductory ? [0.75, 3.75, 0.075] : [1.5, 7.5, 0.15]),
            isDefault: true,
        },
        {
            ...GEMINI_3,
            id: "gemini-3.1-pro-preview",
            aliases: ["gemini-pro"],
            displayName: "Gemini 3.1 Pro Preview",
            prices: prices([2, 12, 0.2], [4, 18, 0.4]),
        },
        {
            ...GEMINI_3,
            id: "gemini-3.5-flash-lite",
            aliases: ["gemini-flash-lite"],
            displayName: "Gemini 3.5 Flash-Lite",
            prices: prices([0.3, 2.5, 0.03]),
            forSubAgents: true,
        },
        {
            ...GEMINI_3,
            id: "gemini-3.5-flash",
            aliases: [],
            displayName: "Gemini 3.5 Flash",
            prices: prices([1.5, 9, 0.15]),
            isLegacy: true,
        },
        {
            ...LIMITS,
            id: "gemini-2.5-pro",
            aliases: [],
            displayName: "Gemini 2.5 Pro",
            images: true,
            isLegacy: true,
            retiresOn: "2026-12-01",
            replacedBy: "gemini-3.8-flash",
        },
        {
            ...LIMITS,
            id: "gemini-2.5-flash",
            aliases: [],
            displayName: "Gemini 2.5 Flash",
            images: true,
            isLegacy: true,
            retiresOn: "2026-12-01",
            replacedBy: "gemini-3.5-flash-lite",
        },
    ];
}

/** Describes a Gemini model that is not listed; its price is unknown. */
export function describeModel(id: string): ModelInfo | undefined {
    if (!/^gemini-[a-z0-9.-]+$/.test(id)) return undefined;
    return {
        ...(isGemini3(id) ? GEMINI_3 : { ...LIMITS, images: true }),
        id,
        aliases: [],
        displayName: id,
    };
}

/** Whether a model takes levels of thinking and validates signatures: all but the older ones. */
export function isGemini3(id: string): boolean {
    return !/^gemini-[12](?:\.|-|$)/.test(id);
}
