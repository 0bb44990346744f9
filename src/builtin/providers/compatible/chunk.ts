import type { JsonObject } from "../../../plugin/index.js";
import type { CallPiece } from "../../../provider-kit/call-collector.js";

// https://developers.openai.com/api/reference/resources/chat/subresources/completions/streaming-events
// Typed loosely, because servers vary: any field may be missing or `null`.

/** Mistral's API and some proxies send text and thinking as parts. */
interface ContentPart {
    readonly type?: string;
    readonly text?: unknown;
    /** Text, or text parts. */
    readonly thinking?: unknown;
}

export interface Delta {
    readonly content?: string | readonly ContentPart[] | null;
    readonly refusal?: string | null;
    /** Used by DeepSeek, llama.cpp and older vLLM. */
    readonly reasoning_content?: string | null;
    /** Used by OpenRouter, Ollama and newer vLLM. */
    readonly reasoning?: string | null;
    /** Texts, summaries, signatures and encrypted thinking of OpenRouter's and Vercel's models. */
    readonly reasoning_details?: readonly JsonObject[] | null;
    readonly tool_calls?: readonly CallPiece[] | null;
}

export interface ChunkUsage {
    readonly prompt_tokens?: number | null;
    readonly completion_tokens?: number | null;
    readonly total_tokens?: number | null;
    readonly prompt_tokens_details?: {
        readonly cached_tokens?: number | null;
        readonly cache_write_tokens?: number | null;
    } | null;
    /** Used by DeepSeek. */
    readonly prompt_cache_hit_tokens?: number | null;
}

export interface Chunk {
    readonly choices?:
        | readonly {
              readonly delta?: Delta | null;
              readonly finish_reason?: string | null;
          }[]
        | null;
    readonly usage?: ChunkUsage | null;
}
