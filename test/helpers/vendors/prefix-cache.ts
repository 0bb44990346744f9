/** Min cached tokens of automatic caches, and the step in which they grow. */
const MIN_TOKENS = 1024;
export const STEP_TOKENS = 128;
const BYTES_PER_TOKEN = 4;

/** Tokens in a prompt, and how many of them were cached. */
export interface PromptCounts {
    readonly promptTokens: number;
    readonly cachedTokens: number;
}

/** The automatic prompt cache of OpenAI and compatible servers, which has no marks. */
export function createPrefixCache(): (model: string, parts: readonly unknown[]) => PromptCounts {
    const seen = new Map<string, Buffer[]>();
    return (model, parts) => {
        const prompt = Buffer.from(parts.map((part) => JSON.stringify(part)).join("\n"));
        const before = seen.get(model) ?? [];
        const common = Math.max(0, ...before.map((other) => commonLength(other, prompt)));
        seen.set(model, [...before, prompt]);
        const tokens = Math.floor(common / BYTES_PER_TOKEN / STEP_TOKENS) * STEP_TOKENS;
        return {
            promptTokens: Math.ceil(prompt.length / BYTES_PER_TOKEN),
            cachedTokens: tokens >= MIN_TOKENS ? tokens : 0,
        };
    };
}

function commonLength(one: Buffer, other: Buffer): number {
    const most = Math.min(one.length, other.length);
    let length = 0;
    while (length < most && one[length] === other[length]) length += 1;
    return length;
}
