import type { Usage } from "../../../plugin/index.js";
import type { ChunkUsage } from "./chunk.js";

/**
 * The vendor's prompt includes what was read from and written to the cache; ours does not. Some (the
 * servers of Gemini and Grok) count what was thought in their total only.
 */
export function toUsage(vendor: ChunkUsage): Usage {
    const details = vendor.prompt_tokens_details;
    const cacheReadTokens = details?.cached_tokens ?? vendor.prompt_cache_hit_tokens ?? 0;
    const cacheWriteTokens = details?.cache_write_tokens ?? 0;
    const prompt = vendor.prompt_tokens ?? 0;
    return {
        inputTokens: Math.max(0, prompt - cacheReadTokens - cacheWriteTokens),
        cacheReadTokens,
        cacheWriteTokens,
        outputTokens: Math.max(vendor.completion_tokens ?? 0, (vendor.total_tokens ?? 0) - prompt),
    };
}
