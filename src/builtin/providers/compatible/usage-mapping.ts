import type { Usage } from "../../../plugin/index.js";
import { toUsageWithoutOverlap } from "../../../provider-kit/usage.js";
import type { ChunkUsage } from "./chunk.js";

/**
 * Some gateways count what was cached beside `prompt_tokens`, which only their total shows. Others
 * (the servers of Gemini and Grok) count what was thought in their total only.
 */
export function toUsage(vendor: ChunkUsage): Usage {
    const details = vendor.prompt_tokens_details;
    const cacheRead = details?.cached_tokens ?? vendor.prompt_cache_hit_tokens ?? 0;
    const cacheWrite = details?.cache_write_tokens ?? 0;
    const prompt = vendor.prompt_tokens ?? 0;
    const answer = vendor.completion_tokens ?? 0;
    const uncounted = Math.max(0, (vendor.total_tokens ?? 0) - prompt - answer);
    const isCacheBeside = uncounted > 0 && uncounted === cacheRead + cacheWrite;
    return toUsageWithoutOverlap({
        prompt: isCacheBeside ? prompt + uncounted : prompt,
        cacheRead,
        cacheWrite,
        output: isCacheBeside ? answer : answer + uncounted,
    });
}
