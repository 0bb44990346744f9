import type { UsageInfo } from "@mistralai/mistralai/models/components";
import type { Usage } from "north-cli/plugin";

/** Tokens of the prompt's cached part are counted in `promptTokens` too. */
export function toUsage(usage: UsageInfo): Usage {
    const details = usage.promptTokensDetails ?? usage.prompt_tokens_details;
    const cached = Math.min(cachedIn(details), usage.promptTokens ?? 0);
    return {
        inputTokens: (usage.promptTokens ?? 0) - cached,
        cacheReadTokens: cached,
        outputTokens: usage.completionTokens ?? 0,
    };
}

/** The SDK passes fields on that it does not know, in one spelling or the other. */
function cachedIn(details: unknown): number {
    if (typeof details !== "object" || details === null) return 0;
    const count: unknown =
        Reflect.get(details, "cached_tokens") ?? Reflect.get(details, "cachedTokens");
    return typeof count === "number" && count > 0 ? count : 0;
}
