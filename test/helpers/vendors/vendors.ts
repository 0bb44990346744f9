import { connect as connectAnthropic } from "../../../src/builtin/providers/anthropic/connect.js";
import { anthropic } from "../../../src/builtin/providers/anthropic/index.js";
import { connect as connectCompatible } from "../../../src/builtin/providers/compatible/connect.js";
import { createCompatibleProvider } from "../../../src/builtin/providers/compatible/create-provider.js";
import { azure, connect as connectAzure } from "../../../src/builtin/providers/openai/azure.js";
import { connect as connectOpenai } from "../../../src/builtin/providers/openai/connect.js";
import { openai } from "../../../src/builtin/providers/openai/index.js";
import type {
    ConnectionSettings,
    ModelConnection,
    ModelInfo,
    Provider,
} from "../../../src/plugin/index.js";
import { connect as connectGoogle } from "../../../plugins/north-provider-google/src/connect.js";
import { google } from "../../../plugins/north-provider-google/src/provider.js";
import {
    connect as connectVertex,
    vertex,
} from "../../../plugins/north-provider-google/src/vertex.js";
import { connect as connectMistral } from "../../../plugins/north-provider-mistral/src/connect.js";
import { mistral } from "../../../plugins/north-provider-mistral/src/provider.js";
import { connect as connectBedrock } from "../../../plugins/north-provider-bedrock/src/connect.js";
import { bedrock } from "../../../plugins/north-provider-bedrock/src/provider.js";
import * as bedrockServer from "./bedrock-server.js";
import * as chat from "./chat-completions-server.js";
import * as googleServer from "./google-server.js";
import * as messages from "./messages-server.js";
import * as mistralServer from "./mistral-server.js";
import * as responses from "./responses-server.js";
import type { Delivery, StreamingServer } from "./streaming-server.js";
import { PATIENCE_MS } from "../patience.js";

/** A vendor-neutral reply; each vendor's server translates it. */
export interface PlainReply extends Omit<Delivery, "failure"> {
    readonly parts?: readonly PlainPart[];
    /** `none`: nothing marks the end of the reply. */
    readonly end?: "usual" | "none" | "max-output" | "refused";
    /** Tokens of the prompt, of its cached part, and of the answer. */
    readonly counts?: { readonly prompt: number; readonly cached: number; readonly answer: number };
    /** Replaces the reply. */
    readonly failure?: {
        readonly status: number;
        readonly said: string;
        readonly headers?: Readonly<Record<string, string>>;
    };
}

export type PlainPart =
    | { readonly text: string }
    /** `proof` is what must come back with the thought, if the vendor has such a thing. */
    | { readonly thought: string; readonly proof: string }
    /** A string `input` is streamed as is, even if invalid. */
    | { readonly callId: string; readonly name: string; readonly input: object | string };

export type PlainScript = readonly PlainReply[] | (() => PlainReply);

/** Limits of a request, in milliseconds. */
export interface VendorLimits {
    readonly requestMs: number;
    readonly silenceMs: number;
}

/** Far more than loopback needs. */
export const LIMITS: VendorLimits = { requestMs: PATIENCE_MS, silenceMs: PATIENCE_MS };

export type VendorServer = StreamingServer<unknown> & { readonly url: string };

/** A real provider, one of its models, and the strict stand-in for its vendor. */
export interface VendorSetup {
    readonly provider: Provider;
    readonly model: ModelInfo;
    /** How to renew credentials that are not North's, as those of a cloud. */
    readonly renewal?: string;
    /** Which part of a thought the next request contains. */
    readonly returns: "proof" | "thought";
    serve(script: PlainScript, list?: Pick<Delivery, "failure" | "gate">): Promise<VendorServer>;
    connect(settings: ConnectionSettings, limits?: VendorLimits): Promise<ModelConnection>;
}

export const KEY = "a-key-of-the-test";

// The AWS SDK requires one to sign with.
process.env.AWS_REGION = "eu-central-1";
process.env.GOOGLE_CLOUD_PROJECT = googleServer.PROJECT;

const house = {
    name: "house",
    displayName: "The house server",
    baseURL: "http://127.0.0.1:1/v1",
    keyVariable: "HOUSE_KEY",
    models: [{ id: "llama3", images: true }],
};

export const VENDORS: readonly VendorSetup[] = [
    {
        ...withModel(anthropic, "claude-sonnet-5-5"),
        returns: "proof",
        serve: (script, list) =>
            messages.startMessagesServer({
                script: translated(script, toMessages),
                apiKey: KEY,
                ...(list ? { list } : {}),
            }),
        connect: connectAnthropic,
    },
    {
        ...withModel(openai, "gpt-6.2-sol"),
        returns: "proof",
        serve: (script, list) =>
            responses.startResponsesServer({
                script: translated(script, toResponses),
                apiKey: KEY,
                ...(list ? { list } : {}),
            }),
        connect: connectOpenai,
    },
    {
        ...withModel(azure, "gpt-6.2-sol"),
        returns: "proof",
        serve: async (script, list) => {
            const server = await responses.startResponsesServer({
                script: translated(script, toResponses),
                apiKey: KEY,
                basePath: "/openai/v1",
                keyHeader: "api-key",
                ...(list ? { list } : {}),
            });
            return { ...server, url: server.origin };
        },
        connect: connectAzure,
    },
    {
        ...withModel(createCompatibleProvider(house), "llama3"),
        returns: "thought",
        serve: (script) =>
            chat.startChatServer({
                script: translated(script, toChat),
                apiKey: KEY,
                reasoningField: "reasoning_content",
            }),
        connect: (settings, limits) => connectCompatible(house, settings, limits),
    },
    {
        ...withModel(mistral, "mistral-medium-2604"),
        returns: "proof",
        serve: (script, list) =>
            mistralServer.startMistralServer({
                script: translated(script, toMistral),
                apiKey: KEY,
                ...(list ? { list } : {}),
            }),
        connect: connectMistral,
    },
    {
        ...withModel(google, "gemini-3.8-flash"),
        returns: "proof",
        serve: (script, list) =>
            googleServer.startGoogleServer({
                script: translated(script, toGoogle),
                apiKey: KEY,
                ...(list ? { list } : {}),
            }),
        connect: connectGoogle,
    },
    {
        ...withModel(vertex, "gemini-3.8-flash"),
        returns: "proof",
        renewal: "gcloud auth application-default login",
        serve: (script) =>
            googleServer.startGoogleServer({
                script: translated(script, toGoogle),
                apiKey: KEY,
                isVertex: true,
            }),
        connect: connectVertex,
    },
    {
        ...withModel(vertex, "claude-sonnet-5-5"),
        returns: "proof",
        renewal: "gcloud auth application-default login",
        serve: (script) =>
            messages.startMessagesServer({
                script: translated(script, toMessages),
                apiKey: KEY,
                isVertex: true,
            }),
        connect: connectVertex,
    },
    {
        ...withModel(bedrock, "global.anthropic.claude-sonnet-5-5"),
        returns: "proof",
        renewal: "aws sso login",
        serve: (script) =>
            bedrockServer.startBedrockServer({
                script: translated(script, toBedrock),
                apiKey: KEY,
            }),
        connect: connectBedrock,
    },
];

function withModel(provider: Provider, id: string): Pick<VendorSetup, "provider" | "model"> {
    const model = [...provider.models, provider.describe?.(id)].find((each) => each?.id === id);
    if (model === undefined) throw new Error(`No model ${id}`);
    return { provider, model };
}

function translated<Reply>(script: PlainScript, translate: (reply: PlainReply) => Reply) {
    return typeof script === "function" ? () => translate(script()) : script.map(translate);
}

function toMessages({ parts = [], end, counts, failure, ...delivery }: PlainReply): messages.Reply {
    const STOPS = { none: null, "max-output": "max_tokens", refused: "refusal" } as const;
    return {
        ...delivery,
        blocks: parts.map((part) => {
            if ("text" in part) return messages.text(part.text);
            if ("thought" in part) return messages.thinking(part.thought, part.proof);
            return messages.toolUse(part.callId, part.name, part.input);
        }),
        ...(end === undefined || end === "usual" ? {} : { stopReason: STOPS[end] }),
        ...(counts === undefined
            ? {}
            : {
                  usage: {
                      input_tokens: counts.prompt - counts.cached,
                      cache_read_input_tokens: counts.cached,
                      output_tokens: counts.answer,
                  },
              }),
        ...failed(failure, ({ status, said }) => ({
            type: ERROR_TYPES[status] ?? "api_error",
            message: said,
        })),
    };
}

/** https://platform.claude.com/docs/en/api/errors */
const ERROR_TYPES: Readonly<Record<number, string>> = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
};

function toResponses(reply: PlainReply): responses.ResponsesReply {
    const { parts = [], end, counts, failure, ...delivery } = reply;
    const CUTS = { "max-output": "max_output_tokens", refused: "content_filter" } as const;
    return {
        ...delivery,
        blocks: parts.map((part) => {
            if ("text" in part) return responses.text(part.text);
            if ("thought" in part) {
                return responses.reasoning(`rs_${part.proof}`, part.proof, part.thought);
            }

            return responses.functionCall(part.callId, part.name, part.input);
        }),
        ...(end === "none" ? { status: null } : {}),
        ...(end === "max-output" || end === "refused"
            ? { status: "incomplete", incompleteReason: CUTS[end] }
            : {}),
        ...(counts === undefined
            ? {}
            : {
                  usage: {
                      input_tokens: counts.prompt,
                      input_tokens_details: { cached_tokens: counts.cached, cache_write_tokens: 0 },
                      output_tokens: counts.answer,
                      output_tokens_details: { reasoning_tokens: 0 },
                      total_tokens: counts.prompt + counts.answer,
                  },
              }),
        ...failed(failure, ({ said }) => ({ message: said, type: "x", param: null, code: null })),
    };
}

const FINISH_REASONS = { none: null, "max-output": "length", refused: "content_filter" } as const;

function toChat({ parts = [], end, counts, failure, ...delivery }: PlainReply): chat.ChatReply {
    return {
        ...delivery,
        deltas: parts.flatMap((part, index) => {
            if ("text" in part) return chat.says(part.text);
            if ("thought" in part) return chat.thinks("reasoning_content", part.thought);
            return chat.calls(index, part.callId, part.name, part.input);
        }),
        ...(end === undefined || end === "usual" ? {} : { finishReason: FINISH_REASONS[end] }),
        ...(counts === undefined ? {} : { usage: chatCounts(counts) }),
        ...failed(failure, ({ said }) => ({ message: said, type: "x", param: null, code: null })),
    };
}

function toMistral(reply: PlainReply): mistralServer.MistralReply {
    const { parts = [], end, counts, failure, ...delivery } = reply;
    return {
        ...delivery,
        deltas: parts.flatMap((part): object[] => {
            if ("text" in part) return chat.says(part.text);
            if ("thought" in part) return mistralServer.thinks(part.thought, part.proof);
            return [];
        }),
        ...(end === undefined || end === "usual" ? {} : { finishReason: FINISH_REASONS[end] }),
        ...(counts === undefined ? {} : { usage: chatCounts(counts) }),
        ...failed(failure, ({ said }) => ({ message: said, type: "x" })),
        ...callsIn(parts),
    };
}

function toGoogle(reply: PlainReply): googleServer.GoogleReply {
    const { parts = [], end, counts, failure, ...delivery } = reply;
    const ENDS = { none: null, "max-output": "MAX_TOKENS", refused: "SAFETY" } as const;
    const signed =
        parts.find((part) => "callId" in part) ?? parts.findLast((part) => "text" in part);
    const thought = parts.find((part) => "thought" in part);
    return {
        ...delivery,
        parts: parts.map((part): Record<string, unknown> => {
            if ("thought" in part) return { text: part.thought, thought: true };
            const signature = part === signed && thought && { thoughtSignature: thought.proof };
            if ("text" in part) return { text: part.text, ...signature };
            const { callId: id, name, input: args } = part;
            return { functionCall: { id, name, args }, ...signature };
        }),
        ...(end === undefined || end === "usual" ? {} : { finishReason: ENDS[end] }),
        ...(counts === undefined
            ? {}
            : {
                  usage: {
                      promptTokenCount: counts.prompt,
                      cachedContentTokenCount: counts.cached,
                      candidatesTokenCount: counts.answer,
                      totalTokenCount: counts.prompt + counts.answer,
                  },
              }),
        ...failed(failure, ({ status, said }) => googleServer.googleError(status, said)),
    };
}

function toBedrock(reply: PlainReply): bedrockServer.BedrockReply {
    const { parts = [], end, counts, failure, ...delivery } = reply;
    const ENDS = { none: null, "max-output": "max_tokens", refused: "content_filtered" } as const;
    return {
        ...delivery,
        blocks: parts.map((part): bedrockServer.BedrockBlock => {
            if ("text" in part) return part;
            if ("thought" in part) return { thought: part.thought, signature: part.proof };
            const { callId, name, input } = part;
            return {
                callId,
                name,
                json: typeof input === "string" ? input : JSON.stringify(input),
            };
        }),
        ...(end === undefined || end === "usual" ? {} : { stopReason: ENDS[end] }),
        ...(counts === undefined
            ? {}
            : {
                  usage: {
                      inputTokens: counts.prompt - counts.cached,
                      cacheReadInputTokens: counts.cached,
                      outputTokens: counts.answer,
                  },
              }),
        ...failed(failure, ({ said }) => ({ message: said })),
    };
}

function callsIn(parts: readonly PlainPart[]): Pick<mistralServer.MistralReply, "calls"> {
    const calls = parts.flatMap((part) =>
        "callId" in part ? [[part.callId, part.name, part.input] as const] : []
    );
    return calls.length === 0 ? {} : { calls };
}

function chatCounts({ prompt, cached, answer }: NonNullable<PlainReply["counts"]>): object {
    return {
        prompt_tokens: prompt,
        prompt_tokens_details: { cached_tokens: cached },
        completion_tokens: answer,
        total_tokens: prompt + answer,
    };
}

function failed(
    failure: PlainReply["failure"],
    toError: (failure: NonNullable<PlainReply["failure"]>) => object
): Pick<Delivery, "failure"> {
    if (failure === undefined) return {};
    const { status, headers } = failure;
    return { failure: { status, error: toError(failure), ...(headers ? { headers } : {}) } };
}
