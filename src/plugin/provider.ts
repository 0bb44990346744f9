import type { JsonObject, JsonSchema, JsonValue } from "./json.js";
import type { Message } from "./message.js";

/** US dollars for a million tokens. */
export interface Prices {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    /** Writes that live five minutes (or as long as the vendor's default). */
    readonly cacheWrite?: number;
    /** Writes that live an hour. */
    readonly cacheWriteLong?: number;
    /** Other prices once a prompt has more than this many tokens. */
    readonly above?: { readonly promptTokens: number; readonly prices: Omit<Prices, "above"> };
    /** Read in other places than the vendor's page; shown as unconfirmed. */
    readonly isUnconfirmed?: boolean;
    /** The day they were read off `source`, `YYYY-MM-DD`. */
    readonly asOf: string;
    /** The vendor's page. */
    readonly source: string;
}

/** How hard a model is to think. */
export type Effort = "low" | "medium" | "high";

/** Whether and how hard the model of a conversation is to think. */
export interface ThinkingChoice {
    readonly on: boolean;
    /** Absent: as the vendor does unless told. */
    readonly effort?: Effort;
}

/** A model as data. */
export interface ModelInfo {
    /** What the vendor calls it. */
    readonly id: string;
    /** Short names; dots and dashes are the same. */
    readonly aliases: readonly string[];
    readonly displayName: string;
    /** Most tokens of prompt and answer together. */
    readonly contextTokens: number;
    /** Most tokens of one answer. */
    readonly maxOutputTokens: number;
    /** Absent: unknown, and shown as unknown. */
    readonly prices?: Prices;
    readonly images?: boolean;
    /**
     * How it thinks: `adaptive` decides by itself, `budget` takes a number of tokens, absent never
     * does or cannot be told to.
     */
    readonly thinking?: "adaptive" | "budget";
    /** How hard it can be told to think, the least first; absent: it decides. */
    readonly efforts?: readonly Effort[];
    /** It cannot be told not to think. */
    readonly alwaysThinks?: boolean;
    /** Most tokens that a `budget` is to think; absent: the provider's usual. */
    readonly thinkingBudget?: number;
    /** The day from which the vendor does not serve it, `YYYY-MM-DD`. */
    readonly retiresOn?: string;
    /** The id that takes its place from `retiresOn` on, or that has done so already without one. */
    readonly replacedBy?: string;
}

/** A tool as the model is told of it. */
export interface ToolSchema {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: JsonSchema;
}

/**
 * One request. Requests of a conversation grow by appending: `messages` of one begins with the
 * same objects as `messages` of the one before, and `system` and `tools` stay the same, unless the
 * model, the mode or a summary changed.
 */
export interface ModelRequest {
    readonly model: ModelInfo;
    readonly system: string;
    readonly tools: readonly ToolSchema[];
    readonly messages: readonly Message[];
    /** Never above the model's own limit. */
    readonly maxOutputTokens: number;
    /** Whether to think, where the model can be told. */
    readonly thinking: boolean;
    /** How hard, where it is to think; one of the model's `efforts`. Absent: as usual. */
    readonly effort?: Effort;
    /** Stable for a conversation; for vendors that route caches by a key. */
    readonly conversationId: string;
}

/**
 * Tokens of one request. The first four do not overlap; their sum is what was processed. Every
 * field is the total so far: a later event may raise it, an absent field leaves it as it was.
 */
export interface Usage {
    /** Neither read from nor written to a cache. */
    readonly inputTokens?: number;
    readonly cacheReadTokens?: number;
    readonly cacheWriteTokens?: number;
    readonly cacheWriteLongTokens?: number;
    /** Includes thinking. */
    readonly outputTokens?: number;
}

/** Why a reply ended. */
export type StopReason =
    | "end"
    | "tool-calls"
    /** The answer reached `maxOutputTokens`. */
    | "max-output"
    /** The prompt does not fit. */
    | "context-overflow"
    /** The vendor paused a long reply; sending the conversation again continues it. */
    | "paused"
    | "refused";

/** What comes out of a stream, in order. */
export type ModelEvent =
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "thinking"; readonly text: string }
    /** The thinking part is complete. `opaque` must come back with it, unmodified. */
    | { readonly type: "thinking-end"; readonly opaque?: JsonValue }
    /** A call has begun; its arguments are still to come. For display. */
    | { readonly type: "tool-call-start"; readonly callId: string; readonly name: string }
    /** A complete call. `malformedInput` holds the text that is not a JSON object. */
    | {
          readonly type: "tool-call";
          readonly callId: string;
          readonly name: string;
          readonly input: JsonObject;
          readonly malformedInput?: string;
      }
    | { readonly type: "usage"; readonly usage: Usage }
    /** The last event of a complete reply. */
    | { readonly type: "stop"; readonly reason: StopReason; readonly detail?: string };

/** Where and as whom to connect. */
export interface ConnectionSettings {
    readonly apiKey?: string;
    readonly baseURL?: string;
    /**
     * Use it in place of the global one: it keeps connections alive, costs less CPU and memory, and
     * follows no redirect, since the key must not reach another host. North always gives it.
     */
    readonly fetch?: typeof fetch;
}

/** A connection to a vendor; holds no state of any conversation. */
export interface ModelConnection {
    /**
     * Sends the request and yields the reply. The iteration rejects with an `ExpectedError`:
     * `authentication`, `rate-limited`, `overloaded`, `server-error`, `network`, `timeout`,
     * `invalid-request`, `context-overflow`, `incomplete-stream` (with `retryable` and
     * `retryAfterMs`), or with the signal's reason when it is aborted. A stream that ends without
     * `stop` is an `incomplete-stream`. Never retries by itself.
     */
    stream(
        request: ModelRequest,
        options: { readonly signal: AbortSignal }
    ): AsyncIterable<ModelEvent>;
}

/** A vendor of models. */
export interface Provider {
    /** Kebab-case, unique: `anthropic`. */
    readonly id: string;
    readonly displayName: string;
    readonly models: readonly ModelInfo[];
    /** The user named this server in `config.json`: lists say so, and whether it is down. */
    readonly isConfigured?: boolean;
    /** The environment variable of the key; absent where none is needed. */
    readonly keyVariable?: string;
    /** The environment variable of the base URL. */
    readonly baseURLVariable?: string;
    /**
     * How long a reply may go without an event, once it has begun, before North gives it up, aborts
     * `stream`'s signal and sends the request again; in milliseconds. Absent: 60,000. Grant more
     * where a model may think or write a call for longer without anything to yield.
     */
    readonly silenceMs?: number;
    /** Describes an id that is not in `models` but of a known family; `undefined` refuses it. */
    describe?(modelId: string): ModelInfo | undefined;
    /**
     * `describe` accepts whatever it is asked for, because only the server knows what it serves:
     * it is asked only where the user names the provider, as in `local/llama3`.
     */
    readonly describesAnyModel?: boolean;
    /**
     * The models that the server offers now, for lists; where they cannot be known beforehand.
     * Rejects like `connect` and `stream` do, within seconds.
     */
    discover?(settings: ConnectionSettings): Promise<readonly ModelInfo[]>;
    /**
     * Sends a request that needs the key and costs nothing, so that `north login` can tell whether
     * it is accepted. Rejects like `stream` does, with `authentication` where it is not. Absent:
     * keys are stored without a test.
     */
    checkKey?(
        settings: ConnectionSettings,
        options: { readonly signal: AbortSignal }
    ): Promise<void>;
    /** Loads what it needs (an SDK) and connects; nothing is sent yet. */
    connect(settings: ConnectionSettings): Promise<ModelConnection>;
}
