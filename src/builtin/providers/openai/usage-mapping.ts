import type { ResponseUsage } from "openai/resources/responses/responses";
import type { Usage } from "../../../plugin/index.js";

// https://developers.openai.com/api/docs/guides/prompt-caching

/** The vendor's input includes what was read from and written to the cache; ours does not. */
export function toUsage(vendor: ResponseUsage): Usage {
    // Gateways leave out the details, and older models what they do not charge for.
    const details: Partial<ResponseUsage.InputTokensDetails> = vendor.input_tokens_details ?? {};
    const { cached_tokens: cacheReadTokens = 0, cache_write_tokens: cacheWriteTokens = 0 } =
        details;
    return {
        inputTokens: Math.max(0, vendor.input_tokens - cacheReadTokens - cacheWriteTokens),
        cacheReadTokens,
        cacheWriteTokens,
        outputTokens: vendor.output_tokens,
    };
}
