import { createHash } from "node:crypto";

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

/** A part of a prompt, without its mark. */
export interface PromptBlock {
    readonly content: unknown;
    readonly isMarked: boolean;
}

/** Bytes of a prompt: all of it, up to the last mark, and what of it was cached. */
export interface MarkedBytes {
    readonly all: number;
    readonly marked: number;
    readonly read: number;
}

/** How many blocks before a mark Anthropic searches for a cached prefix. */
const LOOK_BACK = 20;

const hash = (value: unknown): string =>
    createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** Anthropic's cache, in which nothing is cached that was not marked. */
export function createMarkedCache(): (
    model: string,
    blocks: readonly PromptBlock[]
) => MarkedBytes {
    const cached = new Set<string>();
    return (model, blocks) => {
        let key = hash(model);
        let bytes = 0;
        const prefixes = blocks.map(({ content, isMarked }) => {
            key = hash([key, content]);
            bytes += Buffer.byteLength(JSON.stringify(content));
            return { key, bytes, isMarked };
        });
        let read = 0;
        let marked = 0;
        prefixes.forEach((prefix, index) => {
            if (!prefix.isMarked) return;
            marked = prefix.bytes;
            const near = prefixes.slice(Math.max(0, index - LOOK_BACK), index + 1);
            for (const one of near) if (cached.has(one.key)) read = Math.max(read, one.bytes);
        });
        for (const prefix of prefixes) if (prefix.isMarked) cached.add(prefix.key);
        return { all: bytes, marked, read };
    };
}
