import type { CallPiece } from "../../../provider-kit/call-collector.js";

// https://developers.openai.com/api/reference/resources/chat/subresources/completions/streaming-events
// Typed loosely, because servers vary: any field may be missing or `null`.

export interface Delta {
    readonly content?: string | null;
    readonly refusal?: string | null;
    /** Used by DeepSeek, llama.cpp and older vLLM. */
    readonly reasoning_content?: string | null;
    /** Used by OpenRouter, Ollama and newer vLLM. */
    readonly reasoning?: string | null;
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
