import type { JsonSchema, JsonValue } from "./json.js";
import type { Message, ToolCallPart } from "./message.js";

/** US dollars per million tokens. */
export interface Prices {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    /** Five-minute cache writes, or the vendor's default lifetime. */
    readonly cacheWrite?: number;
    /** One-hour cache writes. */
    readonly cacheWriteLong?: number;
    /** One search of the web, in US dollars. */
    readonly webSearch?: number;
    /** Prices that apply once a prompt exceeds this many tokens. */
    readonly above?: { readonly promptTokens: number; readonly prices: Omit<Prices, "above"> };
    /** Prices of the vendor's flex tier; a model without them never uses that tier. */
    readonly flex?: Omit<Prices, "flex">;
    /** Taken from a source other than the vendor's page; shown as unconfirmed. */
    readonly isUnconfirmed?: boolean;
    /** The date of the prices, `YYYY-MM-DD`. */
    readonly asOf: string;
    /** URL of the vendor's price page. */
    readonly source: string;
}

/** A service tier other than the vendor's standard one: `flex` is cheaper and slower. */
export type Tier = "flex";

export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

/** Whether the conversation's model thinks, and how hard. */
export interface ThinkingChoice {
    readonly on: boolean;
    /** Defaults to the vendor's own default. */
    readonly effort?: Effort;
}

/** A model of a provider, listed or described. */
export interface ModelInfo {
    /** The vendor's id. */
    readonly id: string;
    /** Short names; dots and dashes are equivalent. */
    readonly aliases: readonly string[];
    readonly displayName: string;
    /** Context window in tokens, prompt and answer together. */
    readonly contextTokens: number;
    /** Output limit in tokens. */
    readonly maxOutputTokens: number;
    /** Absent if unknown; shown as unknown. A free model has prices of 0. */
    readonly prices?: Prices;
    readonly images?: boolean;
    /** Supports PDFs. */
    readonly documents?: boolean;
    /** The vendor can search the web for it; see `ModelRequest.webSearch`. */
    readonly webSearch?: boolean;
    /** `adaptive`: the model decides; `budget`: a number of tokens; absent: cannot be requested. */
    readonly thinking?: "adaptive" | "budget";
    /** Supported efforts, lowest first; absent if the model decides by itself. */
    readonly efforts?: readonly Effort[];
    /** Thinking cannot be turned off. */
    readonly alwaysThinks?: boolean;
    /** Maximum thinking tokens for `budget`; defaults to the provider's. */
    readonly thinkingBudget?: number;
    /** Superseded by a newer model; hidden from lists unless all models are requested. */
    readonly isLegacy?: boolean;
    /** The model to start with when only this provider has a key; defaults to the first current one. */
    readonly isDefault?: boolean;
    /** Good enough for lookups: sub-agents run on the provider's cheapest such model. */
    readonly forSubAgents?: boolean;
    /** The first day without service, `YYYY-MM-DD`. */
    readonly retiresOn?: string;
    /** The successor from `retiresOn` on; without `retiresOn`, the successor already in effect. */
    readonly replacedBy?: string;
}

/** A tool as presented to the model. */
export interface ToolSchema {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: JsonSchema;
}

/**
 * One request. Requests of a conversation grow by appending: `messages` starts with the same
 * objects as in the previous request, and `system` and `tools` stay the same, unless the model, the
 * mode or a summary changed.
 */
export interface ModelRequest {
    readonly model: ModelInfo;
    readonly system: string;
    readonly tools: readonly ToolSchema[];
    readonly messages: readonly Message[];
    /** Never above the model's own limit. */
    readonly maxOutputTokens: number;
    /** Whether to think, if the model supports the choice. */
    readonly thinking: boolean;
    /** One of the model's `efforts`; defaults to the vendor's default. */
    readonly effort?: Effort;
    /** Set only if the model has this tier; the vendor may still charge another. */
    readonly tier?: Tier;
    /** A person reads the answer, so minutes may pass before the next request. */
    readonly hasPauses?: boolean;
    /**
     * Lets the vendor search the web while the model answers, at most `maxSearches` times where the
     * vendor has such a limit. Set only for a model that can, in a request without tools.
     */
    readonly webSearch?: WebSearch;
    /** No later request extends this one, so writing it to a cache would only cost. */
    readonly isOneOff?: boolean;
    /** Stable per conversation, for vendors that route caches by a key. */
    readonly conversationId: string;
}

export interface WebSearch {
    readonly maxSearches: number;
}

/** A page that an answer cites. */
export interface WebSource {
    readonly url: string;
    readonly title?: string;
}

/**
 * Tokens of one request. The first four counts do not overlap; their sum is the total processed.
 * Each field is a running total: a later event may raise it; an absent field leaves it as it is.
 */
export interface Usage {
    /** Excludes cache reads and writes. */
    readonly inputTokens?: number;
    readonly cacheReadTokens?: number;
    readonly cacheWriteTokens?: number;
    readonly cacheWriteLongTokens?: number;
    /** Includes thinking. */
    readonly outputTokens?: number;
    /** Searches of the web that the vendor charges for, besides the tokens. */
    readonly webSearches?: number;
}

/** Why a reply ended. */
export type StopReason =
    | "end"
    | "tool-calls"
    /** The output limit was reached. */
    | "max-output"
    /** The prompt exceeds the context window. */
    | "context-overflow"
    /** The vendor paused a long reply; sending the conversation again continues it. */
    | "paused"
    | "refused";

/** The vendor searched the web for `queries`, or the answer cites `sources`. */
export interface WebSearched {
    readonly type: "web-search";
    readonly queries: readonly string[];
    readonly sources: readonly WebSource[];
}

/** Events of a reply, in stream order. */
export type ModelEvent =
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "thinking"; readonly text: string }
    /** Ends a thinking part. `opaque` must be sent back unmodified. */
    | { readonly type: "thinking-end"; readonly opaque?: JsonValue }
    /** A call has started and its arguments follow. For display only. */
    | { readonly type: "tool-call-start"; readonly callId: string; readonly name: string }
    /** A piece of a started call's arguments, as JSON text. For display only; may be left out. */
    | { readonly type: "tool-call-delta"; readonly callId: string; readonly text: string }
    /** A complete call. `malformedInput` has arguments that are not a JSON object. */
    | Omit<ToolCallPart, "refusedInput">
    | WebSearched
    /** `tier` is the one that the vendor charges; absent for the standard one. */
    | { readonly type: "usage"; readonly usage: Usage; readonly tier?: Tier }
    /** The last event of a complete reply. */
    | { readonly type: "stop"; readonly reason: StopReason; readonly detail?: string };

/** Endpoint and credentials. */
export interface ConnectionSettings {
    readonly apiKey?: string;
    readonly baseURL?: string;
    /**
     * Use it instead of the global one: it keeps connections alive, costs less CPU and memory, and
     * follows no redirect, so the key never reaches another host. North always sets it.
     */
    readonly fetch?: typeof fetch;
    /**
     * Replaces the stored key, for sign-ins whose tokens are renewed. Calls `renew` with the key as
     * it is stored now, while no other North does, and resolves with what it returned, once stored.
     */
    readonly renewKey?: (renew: (stored: string) => Promise<string>) => Promise<string>;
}

/** A connection to a vendor, without conversation state. */
export interface ModelConnection {
    /**
     * Sends the request and yields the reply. The iteration rejects with an `ExpectedError`:
     * `authentication`, `rate-limited`, `overloaded`, `server-error`, `network`, `timeout`,
     * `invalid-request`, `context-overflow`, `incomplete-stream` (with `retryable` and
     * `retryAfterMs`), or with the signal's reason once it aborts. A stream without `stop` is an
     * `incomplete-stream`. Never retries by itself.
     */
    stream(
        request: ModelRequest,
        options: { readonly signal: AbortSignal }
    ): AsyncIterable<ModelEvent>;
}

/** A vendor or server of models. */
export interface Provider {
    /** Kebab-case, unique: `anthropic`. */
    readonly id: string;
    readonly displayName: string;
    readonly models: readonly ModelInfo[];
    /** The user configured this server in `config.json`; lists show it and its failures. */
    readonly isConfigured?: boolean;
    /** The key's environment variable; absent if no key is needed, or only `signIn` gives one. */
    readonly keyVariable?: string;
    /**
     * The variable of a key that `connect` gets if it is set, where the provider also finds other
     * credentials itself, such as a cloud's profiles. North then never asks for a key.
     */
    readonly optionalKeyVariable?: string;
    /** The base URL's environment variable. */
    readonly baseURLVariable?: string;
    /**
     * Milliseconds without an event before North gives up on a reply that has started, aborts the
     * signal of `stream` and retries. Defaults to 60,000. Raise it if a model may think or write a
     * call for longer without yielding anything.
     */
    readonly silenceMs?: number;
    /** Describes an unlisted id of a known family; `undefined` refuses it. */
    describe?(modelId: string): ModelInfo | undefined;
    /**
     * `describe` accepts any id, because only the server knows what it serves. It is called only if
     * the user names the provider, as in `local/llama3`.
     */
    readonly describesAnyModel?: boolean;
    /**
     * The models that the server currently offers, for lists, if they cannot be known in advance.
     * Rejects like `connect` and `stream`, within seconds.
     */
    discover?(settings: ConnectionSettings): Promise<readonly ModelInfo[]>;
    /**
     * Sends a free request that requires the key, so that `north login` can validate it. Rejects
     * like `stream`, with `authentication` for a bad key. If absent, keys are stored untested.
     */
    checkKey?(
        settings: ConnectionSettings,
        options: { readonly signal: AbortSignal }
    ): Promise<void>;
    /**
     * Signs the user in through a browser and returns a key of their account, if the vendor offers
     * that to programs. `show` gets the URL to open. Rejects like `stream`, or with
     * `sign-in-failed`. Without `keyVariable`, it is the only way to a key, and `settings` have the
     * stored one.
     */
    signIn?(
        settings: ConnectionSettings,
        options: { readonly show: (url: string) => void; readonly signal: AbortSignal }
    ): Promise<string>;
    /** Ends a sign-in at the vendor, before North forgets its key. Rejects like `stream`. */
    signOut?(
        settings: ConnectionSettings,
        options: { readonly signal: AbortSignal }
    ): Promise<void>;
    /** Loads what the connection needs, such as an SDK, and sends nothing yet. */
    connect(settings: ConnectionSettings): Promise<ModelConnection>;
}
