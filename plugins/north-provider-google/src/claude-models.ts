import { anthropicModels, describeModel } from "north-cli/messages-api/models";
import type { ModelInfo, Prices } from "north-cli/plugin";

// https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai

/** Every location but the global one costs 10% more, for the models from 4.5 on. */
const REGIONAL = 1.1;

export function isClaude(id: string): boolean {
    return id.startsWith("claude-");
}

/** The models that Anthropic still serves, as Google offers them in a location. */
export function claudeModels(location: string): readonly ModelInfo[] {
    return anthropicModels
        .filter(({ replacedBy }) => replacedBy === undefined)
        .map((model) => asOffered(model, location));
}

/** Describes a Claude model by its id here, such as `claude-opus-4-5@20251101`. */
export function describeClaude(id: string, location: string): ModelInfo | undefined {
    const model = isClaude(id) ? describeModel(id.replace("@", "-")) : undefined;
    return model && asOffered(model, location);
}

/** Google sets its own prices, not confirmed here, and its own dates of retirement. */
function asOffered(anthropic: ModelInfo, location: string): ModelInfo {
    const { prices, isDefault: _default, retiresOn: _day, replacedBy, ...others } = anthropic;
    // Whether the web can be searched here is not confirmed either.
    const { webSearch: _search, ...model } = others;
    const factor = location === "global" ? 1 : REGIONAL;
    return {
        ...model,
        id: model.id.replace(/-(?=\d{8}$)/, "@"),
        // Names without a provider mean Anthropic's API.
        aliases: [],
        ...(prices && replacedBy === undefined && { prices: pricesTimes(factor, prices) }),
    };
}

function pricesTimes(
    factor: number,
    { above, asOf, webSearch: _search, ...prices }: Prices
): Prices {
    const rates = Object.entries(prices).flatMap(([kind, rate]) =>
        typeof rate === "number" ? [[kind, Number((rate * factor).toFixed(6))] as const] : []
    );
    const { input, output } = prices;
    return {
        ...{ input, output, ...Object.fromEntries(rates), asOf },
        ...(above && { above: { ...above, prices: pricesTimes(factor, above.prices) } }),
        isUnconfirmed: true,
        source: "https://cloud.google.com/vertex-ai/generative-ai/pricing#claude-models, from Anthropic's prices",
    };
}
