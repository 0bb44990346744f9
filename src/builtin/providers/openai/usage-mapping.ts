import type { ResponseUsage } from "openai/resources/responses/responses";
import type { Usage } from "../../../plugin/index.js";
import { toUsageWithoutOverlap } from "../../../provider-kit/usage.js";

// https://developers.openai.com/api/docs/guides/prompt-caching

export function toUsage(vendor: ResponseUsage): Usage {
    // Gateways leave out the details, and older models what they do not charge for.
    const details: Partial<ResponseUsage.InputTokensDetails> = vendor.input_tokens_details ?? {};
    return toUsageWithoutOverlap({
        prompt: vendor.input_tokens,
        cacheRead: details.cached_tokens ?? 0,
        cacheWrite: details.cache_write_tokens ?? 0,
        output: vendor.output_tokens,
    });
}
