import type {
    CachePointBlock,
    ConverseStreamCommandInput,
    Message as VendorMessage,
    Tool,
} from "@aws-sdk/client-bedrock-runtime";
import type { ModelInfo, ModelRequest } from "north-cli/plugin";
import { markOf } from "north-cli/provider-kit";
import { type DocumentType, toVendorMessages } from "./message-mapping.js";

// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html

export interface PreparedRequest {
    readonly input: ConverseStreamCommandInput;
    /** Of everything sent; thinking is bound to it. */
    readonly fingerprint: string;
}

/** Builds the request, with cache points where the model takes them. */
export function toRequest(request: ModelRequest): PreparedRequest {
    const { model, system, maxOutputTokens } = request;
    const tools = request.tools.map(({ name, description, inputSchema }): Tool => ({
        toolSpec: { name, description, inputSchema: { json: inputSchema as DocumentType } },
    }));
    const preamble = JSON.stringify([model.id, system, tools]);
    const { messages, fingerprint } = toVendorMessages(request.messages, model, preamble);
    const point = cachePointOf(request);
    const additional = thinkingFields(request, messages);
    const input: ConverseStreamCommandInput = {
        modelId: model.id,
        messages: point ? withPoints(messages, point) : messages,
        inferenceConfig: { maxTokens: maxOutputTokens },
        ...(system && { system: [{ text: system }, ...(point ? [{ cachePoint: point }] : [])] }),
        ...(tools.length > 0 && { toolConfig: { tools } }),
        ...(additional && { additionalModelRequestFields: additional }),
    };
    return { input, fingerprint };
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html */
function cachePointOf(request: ModelRequest): CachePointBlock | undefined {
    if (!/anthropic\.claude|amazon\.nova/.test(request.model.id)) return undefined;
    const mark = markOf(request);
    if (mark === undefined) return undefined;
    return { type: "default", ...("ttl" in mark && { ttl: mark.ttl }) };
}

/**
 * At the end of the previous request and of this one: the vendor looks back only some blocks, and
 * one reply with its results can be longer.
 */
function withPoints(messages: VendorMessage[], cachePoint: CachePointBlock): VendorMessage[] {
    const reply = messages.findLastIndex(({ role }) => role === "assistant");
    const ends = [reply - 1, messages.length - 1];
    return messages.map(({ role, content = [] }, index) => ({
        role,
        content: ends.includes(index) ? [...content, { cachePoint }] : content,
    }));
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html */
function thinkingFields(
    request: ModelRequest,
    messages: VendorMessage[]
): DocumentType | undefined {
    const { model, thinking, effort } = request;
    if (model.thinking === undefined) return undefined;
    if (model.thinking === "budget") return thinking ? budgetFields(request, messages) : undefined;
    if (!thinking) return { thinking: withoutThinking(model) };
    return { thinking: ADAPTIVE, ...(effort && { output_config: { effort } }) };
}

const ADAPTIVE = { type: "adaptive", display: "summarized" };

function withoutThinking({ id, alwaysThinks }: ModelInfo): { readonly type: string } {
    if (alwaysThinks) return ADAPTIVE;
    return { type: id.includes("claude-sonnet-5-5") ? "between_tools" : "disabled" };
}

const MIN_BUDGET = 1_024;

/** With a budget, a reply with calls has to begin with thinking: it stays off until the answer. */
function budgetFields(
    { model: { thinkingBudget = MIN_BUDGET }, maxOutputTokens }: ModelRequest,
    messages: VendorMessage[]
): DocumentType | undefined {
    const last = messages.findLast(({ role }) => role === "assistant")?.content ?? [];
    if (last.some(({ toolUse }) => toolUse) && !last[0]?.reasoningContent) return undefined;
    const budget = Math.min(thinkingBudget, Math.floor(maxOutputTokens / 2));
    return budget < MIN_BUDGET
        ? undefined
        : { thinking: { type: "enabled", budget_tokens: budget } };
}
