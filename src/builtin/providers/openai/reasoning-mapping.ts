import type { Reasoning, ReasoningEffort } from "openai/resources/shared";
import type { ModelRequest } from "../../../plugin/index.js";

// https://developers.openai.com/api/docs/guides/reasoning

/** Several models do not reason at all unless they are told how much. */
const USUAL_EFFORT = "medium";

/** The least each family accepts, by its model pages; `low` is taken by all others. */
const LEAST_EFFORT: readonly (readonly [RegExp, ReasoningEffort])[] = [
    [/-codex/, "low"],
    [/^gpt-(?:6\.1-terra|6-luna|6-sol|5\.[1-6])/, "none"],
    [/^gpt-5(?:-mini|-nano)?(?:-\d{4}|$)/, "minimal"],
];

/** The request's `reasoning`; `undefined` leaves the field out. */
export function toReasoning(
    { model, thinking, effort = USUAL_EFFORT }: ModelRequest,
    withSummary: boolean
): Reasoning | undefined {
    if (model.thinking === undefined) return undefined;
    const summary = thinking && withSummary ? { summary: "auto" as const } : {};
    // It takes one effort only, which is its default.
    if (model.efforts === undefined) return summary;
    const least = LEAST_EFFORT.find(([family]) => family.test(model.id))?.[1] ?? "low";
    return { effort: thinking ? effort : least, ...summary };
}
