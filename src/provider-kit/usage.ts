import type { Usage } from "../plugin/index.js";

/** Tokens as OpenAI counts them: `prompt` includes cache reads and writes. */
export interface PromptUsage {
    readonly prompt: number;
    readonly cacheRead: number;
    readonly cacheWrite?: number;
    readonly output: number;
}

/** Tokens as the contract counts them, without overlaps. */
export function toUsageWithoutOverlap(counts: PromptUsage): Usage {
    const { prompt, cacheRead, cacheWrite = 0, output } = counts;
    return {
        inputTokens: Math.max(0, prompt - cacheRead - cacheWrite),
        cacheReadTokens: cacheRead,
        cacheWriteTokens: cacheWrite,
        outputTokens: output,
    };
}

/** The maximum of each count: late in a reply some gateways report 0 for unknown counts. */
export function highestUsage(before: Usage, now: Usage): Usage {
    const highest: Record<string, number> = { ...before };
    for (const [field, count] of Object.entries(now)) {
        highest[field] = Math.max(highest[field] ?? 0, count ?? 0);
    }
    return highest;
}
