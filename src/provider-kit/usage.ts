import type { Usage } from "../plugin/index.js";

/** Tokens as OpenAI counts them: `prompt` includes what was read from and written to a cache. */
export interface PromptUsage {
    readonly prompt: number;
    readonly cacheRead: number;
    readonly cacheWrite?: number;
    readonly output: number;
}

/** Tokens as the contract counts them: no two counts overlap. */
export function toUsageWithoutOverlap(counts: PromptUsage): Usage {
    const { prompt, cacheRead, cacheWrite = 0, output } = counts;
    return {
        inputTokens: Math.max(0, prompt - cacheRead - cacheWrite),
        cacheReadTokens: cacheRead,
        cacheWriteTokens: cacheWrite,
        outputTokens: output,
    };
}

/** The higher of each count: gateways report 0 late in a reply for what they do not know. */
export function highestUsage(before: Usage, now: Usage): Usage {
    const highest: Record<string, number> = { ...before };
    for (const [field, count] of Object.entries(now)) {
        highest[field] = Math.max(highest[field] ?? 0, count ?? 0);
    }
    return highest;
}
