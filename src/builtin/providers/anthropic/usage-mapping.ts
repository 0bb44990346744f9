import type { MessageDeltaUsage, Usage as VendorUsage } from "@anthropic-ai/sdk/resources";
import type { Usage } from "../../../plugin/index.js";
import { highestUsage } from "../../../provider-kit/usage.js";

// https://platform.claude.com/docs/en/build-with-claude/prompt-caching#tracking-cache-performance

/**
 * The vendor's counts so far. Only the first report splits the cache writes by how long they live;
 * `before` carries the split over to the later totals. Gateways report fields as 0 that they do
 * not know, so no count ever goes down.
 */
export function toUsage(vendor: Partial<VendorUsage | MessageDeltaUsage>, before: Usage): Usage {
    const split = "cache_creation" in vendor ? vendor.cache_creation : undefined;
    const long = split?.ephemeral_1h_input_tokens ?? before.cacheWriteLongTokens ?? 0;
    const written = vendor.cache_creation_input_tokens;
    return highestUsage(before, {
        inputTokens: vendor.input_tokens ?? 0,
        cacheReadTokens: vendor.cache_read_input_tokens ?? 0,
        cacheWriteTokens: Math.max(0, (written ?? 0) - long),
        cacheWriteLongTokens: long,
        outputTokens: vendor.output_tokens ?? 0,
    });
}
