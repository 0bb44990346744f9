import type { UsageInfo } from "@mistralai/mistralai/models/components";
import type { Usage } from "north-cli/plugin";
import { isJsonObject, toUsageWithoutOverlap } from "north-cli/provider-kit";

/** `promptTokens` includes cached tokens. */
export function toUsage(usage: UsageInfo): Usage {
    const prompt = usage.promptTokens ?? 0;
    // The SDK passes on unknown fields, in either spelling.
    const details: unknown = usage.promptTokensDetails ?? usage.prompt_tokens_details;
    const cached = isJsonObject(details) ? (details.cached_tokens ?? details.cachedTokens) : 0;
    return toUsageWithoutOverlap({
        prompt,
        cacheRead: typeof cached === "number" ? Math.min(cached, prompt) : 0,
        output: usage.completionTokens ?? 0,
    });
}
