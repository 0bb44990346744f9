import type { JsonValue } from "north-cli/plugin";

// https://ai.google.dev/api/generate-content. Any field of a response may be missing.

/** A part of a message, with one kind of data. */
export interface Part {
    readonly text?: string;
    /** `text` is a summary of the model's thinking. */
    readonly thought?: boolean;
    /** Opaque; belongs to this part and is sent back with it. */
    readonly thoughtSignature?: string;
    readonly inlineData?: { readonly mimeType: string; readonly data: string };
    readonly functionCall?: {
        readonly id?: string;
        readonly name: string;
        readonly args?: JsonValue;
    };
    readonly functionResponse?: {
        readonly id: string;
        readonly name: string;
        readonly response: { readonly [field: string]: JsonValue };
        readonly parts?: readonly Part[];
    };
}

export interface Content {
    readonly role: "user" | "model";
    readonly parts: readonly Part[];
}

/** https://cloud.google.com/apis/design/errors#error_model */
export interface ErrorStatus {
    /** The HTTP status. */
    readonly code?: number;
    readonly message?: string;
    readonly status?: string;
    /** Of Claude's own errors: `overloaded_error`. */
    readonly type?: string;
    readonly details?: readonly {
        /** Of `google.rpc.ErrorInfo`. */
        readonly reason?: string;
        /** Of `google.rpc.RetryInfo`: `22s`. */
        readonly retryDelay?: string;
        /** Of `google.rpc.QuotaFailure`. */
        readonly violations?: readonly { readonly quotaId?: string }[];
    }[];
}

/** An event of a stream. */
export interface Chunk {
    readonly candidates?: readonly {
        readonly content?: { readonly parts?: readonly Part[] };
        readonly finishReason?: string;
        /** https://ai.google.dev/gemini-api/docs/google-search */
        readonly groundingMetadata?: {
            readonly webSearchQueries?: readonly string[];
            readonly groundingChunks?: readonly {
                readonly web?: { readonly uri?: string; readonly title?: string };
            }[];
        };
    }[];
    readonly promptFeedback?: { readonly blockReason?: string };
    readonly usageMetadata?: {
        /** Includes the cached tokens. */
        readonly promptTokenCount?: number;
        readonly cachedContentTokenCount?: number;
        /** Excludes thinking. */
        readonly candidatesTokenCount?: number;
        readonly thoughtsTokenCount?: number;
        /** The tier that served the request: `standard`, `flex`. */
        readonly serviceTier?: string;
    };
    readonly error?: ErrorStatus;
}
