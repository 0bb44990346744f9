import type { ThinkingConfigParam } from "@anthropic-ai/sdk/resources/messages/messages";
import type { Message, ModelInfo, ModelRequest } from "../../../plugin/index.js";

// https://platform.claude.com/docs/en/build-with-claude/thinking#configuring-thinking

/**
 * Between two tool calls models from 5.5 on speak in thinking blocks, which are empty unless
 * summaries are asked for.
 */
const ADAPTIVE: ThinkingConfigParam = { type: "adaptive", display: "summarized" };
const DISABLED: ThinkingConfigParam = { type: "disabled" };

/** How each adaptive model is told not to think; the others cannot be told and reject the attempt. */
const OFF: Readonly<Record<string, ThinkingConfigParam>> = {
    "claude-sonnet-5-5": { type: "between_tools" },
    "claude-haiku-5-5": DISABLED,
    "claude-opus-5": DISABLED,
    "claude-sonnet-5": DISABLED,
    "claude-opus-4-8": DISABLED,
    "claude-opus-4-7": DISABLED,
    "claude-opus-4-6": DISABLED,
    "claude-sonnet-4-6": DISABLED,
};

/** The vendor's least budget, and ours where there is room. */
const LEAST_BUDGET = 1_024;
const BUDGETS: readonly (readonly [RegExp, number])[] = [
    [/-opus-/, 16_000],
    [/-haiku-/, 5_000],
];
const USUAL_BUDGET = 10_000;

/** The request's `thinking`; `undefined` leaves the field out. */
export function toThinking(request: ModelRequest): ThinkingConfigParam | undefined {
    const { model } = request;
    if (model.thinking === undefined) return undefined;
    if (model.thinking === "adaptive") {
        return request.thinking ? ADAPTIVE : (OFF[model.id] ?? ADAPTIVE);
    }
    if (!request.thinking || isAmidstThoughtlessCalls(request)) return undefined;
    const budget = Math.min(budgetOf(model), Math.floor(request.maxOutputTokens / 2));
    return budget < LEAST_BUDGET ? undefined : { type: "enabled", budget_tokens: budget };
}

function budgetOf(model: ModelInfo): number {
    return BUDGETS.find(([family]) => family.test(model.id))?.[1] ?? USUAL_BUDGET;
}

/**
 * With a budget, a reply that called a tool must begin with the model's own thinking. Where another
 * model began the calls that are being answered, thinking has to wait for the next question.
 */
function isAmidstThoughtlessCalls({ messages, model }: ModelRequest): boolean {
    if (messages.at(-1)?.role !== "tool") return false;
    const asking = messages.findLast((message: Message) => message.role === "assistant");
    const first = asking?.content[0];
    return !(first?.type === "thinking" && first.model === model.id);
}
