import type {
    OutputConfig,
    ThinkingConfigParam,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { ModelInfo, ModelRequest } from "../../../plugin/index.js";
import { beginsWithThinking } from "./message-mapping.js";

// https://platform.claude.com/docs/en/build-with-claude/thinking#configuring-thinking

/**
 * Between two tool calls models from 5.5 on speak in thinking blocks, which are empty unless
 * summaries are asked for.
 */
const ADAPTIVE: ThinkingConfigParam = { type: "adaptive", display: "summarized" };

/** The vendor's least budget, and ours for a model that the catalogue says nothing of. */
const LEAST_BUDGET = 1_024;
const USUAL_BUDGET = 10_000;

/** The parts of a request that say whether and how hard to think. */
export interface ThinkingFields {
    readonly thinking?: ThinkingConfigParam;
    readonly output_config?: OutputConfig;
}

export function toThinking(request: ModelRequest): ThinkingFields {
    const { model, effort } = request;
    if (model.thinking === undefined) return {};
    if (model.thinking === "budget") return toBudget(request);
    if (!request.thinking) return { thinking: notThinking(model) };
    return { thinking: ADAPTIVE, ...(effort === undefined ? {} : { output_config: { effort } }) };
}

function notThinking({ id, alwaysThinks }: ModelInfo): ThinkingConfigParam {
    if (alwaysThinks) return ADAPTIVE;
    return id.startsWith("claude-sonnet-5-5") ? { type: "between_tools" } : { type: "disabled" };
}

function toBudget(request: ModelRequest): ThinkingFields {
    if (!request.thinking || isAmidstThoughtlessCalls(request)) return {};
    const { thinkingBudget = USUAL_BUDGET } = request.model;
    const budget = Math.min(thinkingBudget, Math.floor(request.maxOutputTokens / 2));
    return budget < LEAST_BUDGET ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
}

/**
 * With a budget, a reply that called a tool must begin with the model's own thinking. Where its
 * calls were made without, thinking has to wait until the model has answered; a question that
 * follows results directly, as after a cancel, is one turn with them.
 */
function isAmidstThoughtlessCalls({ messages, model }: ModelRequest): boolean {
    const asking = messages.findLast(({ role }) => role === "assistant");
    if (asking?.role !== "assistant") return false;
    const hasCalls = asking.content.some(({ type }) => type === "tool-call");
    return hasCalls && !beginsWithThinking(asking, model);
}
