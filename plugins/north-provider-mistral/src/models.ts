import type { ModelInfo, Prices } from "north-cli/plugin";

/** The vendor documents no output limit below the context size; request at most this. */
const MAX_OUTPUT = 32_768;

/**
 * The vendor's prices as quoted by a public catalogue (models.dev), with the date on which that was
 * checked against the vendor's page.
 */
const SOURCE = "https://docs.mistral.ai/inference/pricing, quoted by models.dev";

function prices(asOf: string, input: number, output: number, cacheRead?: number): Prices {
    return {
        input,
        output,
        ...(cacheRead === undefined ? {} : { cacheRead }),
        asOf,
        isUnconfirmed: true,
        source: SOURCE,
    };
}

export const mistralModels: readonly ModelInfo[] = [
    {
        id: "mistral-medium-2604",
        aliases: ["mistral", "mistral-medium", "mistral-medium-3.5", "mistral-medium-latest"],
        displayName: "Mistral Medium 3.5",
        contextTokens: 262_144,
        maxOutputTokens: MAX_OUTPUT,
        prices: prices("2026-09-29", 1.5, 7.5, 0.15),
        images: true,
        thinking: "adaptive",
        isDefault: true,
    },
    {
        id: "mistral-medium-2508",
        aliases: ["mistral-medium-3.1"],
        displayName: "Mistral Medium 3.1",
        contextTokens: 131_072,
        maxOutputTokens: MAX_OUTPUT,
        images: true,
        // Retired on 2026-08-31.
        replacedBy: "mistral-medium-2604",
    },
    {
        id: "mistral-large-4",
        aliases: ["mistral-large", "mistral-large-4-0"],
        displayName: "Mistral Large 4",
        contextTokens: 524_288,
        maxOutputTokens: MAX_OUTPUT,
        // No price: it was halved during the preview; which one holds now is unknown.
        images: true,
        thinking: "adaptive",
    },
    {
        id: "mistral-small-2603",
        aliases: ["mistral-small", "mistral-small-4"],
        displayName: "Mistral Small 4",
        contextTokens: 262_144,
        maxOutputTokens: MAX_OUTPUT,
        // No price: sources disagree.
        images: true,
        thinking: "adaptive",
    },
    {
        id: "codestral-2508",
        aliases: ["codestral"],
        displayName: "Codestral 25.08",
        contextTokens: 128_000,
        maxOutputTokens: MAX_OUTPUT,
        prices: prices("2026-08-27", 0.3, 0.9, 0.03),
    },
];

const FAMILY = /^(open-)?(mistral|ministral|magistral|codestral|devstral)-[a-z0-9.-]+$/;

/** Describes a vendor's model newer than this list; its price is unknown. */
export function describeModel(id: string): ModelInfo | undefined {
    if (!FAMILY.test(id)) return undefined;
    return {
        id,
        aliases: [],
        displayName: id,
        contextTokens: 128_000,
        maxOutputTokens: MAX_OUTPUT,
    };
}
