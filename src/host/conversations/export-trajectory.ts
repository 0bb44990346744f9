import { groupBy } from "../../base/group-by.js";
import { promptTokens } from "../../core/costs/price.js";
import type { AssistantEntry, Entry, ToolResultEntry } from "../../plugin/records.js";
import type { ExportedConversation } from "./exported-conversation.js";

/**
 * A conversation in the Agent Trajectory Interchange Format:
 * https://harborframework.com/docs/trajectory-format
 */
export function exportTrajectory(exported: ExportedConversation, version: string): string {
    const { id, model, provider, entries, costUsd, unpricedRequests } = exported;
    const results = groupBy(
        entries.filter((entry) => entry.kind === "tool_result"),
        ({ callId }) => callId
    );
    const steps = entries.flatMap((entry) => stepOf(entry, results));
    const replies = entries.filter((entry) => entry.kind === "assistant");
    const usages = replies.flatMap(({ usage }) => usage ?? []);
    const sum = (amounts: readonly number[]) => amounts.reduce((total, each) => total + each, 0);
    const trajectory = {
        schema_version: "ATIF-v1.7",
        session_id: id,
        agent: { name: "north", version, model_name: `${provider}/${model}` },
        steps: steps.map((step, index) => ({ step_id: index + 1, ...step })),
        final_metrics: {
            total_prompt_tokens: sum(usages.map(promptTokens)),
            total_completion_tokens: sum(usages.map(({ outputTokens = 0 }) => outputTokens)),
            total_cached_tokens: sum(usages.map(({ cacheReadTokens = 0 }) => cacheReadTokens)),
            ...(unpricedRequests === 0 && { total_cost_usd: costUsd }),
            total_steps: steps.length,
        },
    };
    return `${JSON.stringify(trajectory, null, 2)}\n`;
}

type ResultsByCall = ReadonlyMap<string, readonly ToolResultEntry[]>;

function stepOf(entry: Entry, results: ResultsByCall): object[] {
    const timestamp = new Date(entry.at).toISOString();
    switch (entry.kind) {
        case "user":
            return [{ timestamp, source: "user", message: entry.text }];
        case "host_note":
            return [{ timestamp, source: "system", message: entry.text }];
        case "assistant":
            return [{ timestamp, source: "agent", ...replyStep(entry, results) }];
        default:
            // Results belong to the steps of their calls; models do not see the rest.
            return [];
    }
}

function replyStep(entry: AssistantEntry, byCall: ResultsByCall) {
    const { content, usage, costUsd, provider, model, status } = entry;
    const texts = (type: "text" | "thinking") =>
        content.flatMap((part) => (part.type === type ? part.text : [])).join("\n");
    const calls = content.filter((part) => part.type === "tool-call");
    const results = calls.flatMap(({ callId }) => byCall.get(callId) ?? []);
    const reasoning = texts("thinking");
    return {
        model_name: `${provider}/${model}`,
        message: texts("text"),
        ...(reasoning !== "" && { reasoning_content: reasoning }),
        ...(calls.length > 0 && {
            tool_calls: calls.map(({ callId, name, input }) => ({
                tool_call_id: callId,
                function_name: name,
                arguments: input,
            })),
        }),
        ...(results.length > 0 && {
            observation: {
                results: results.map(({ callId, text, content: whole, ok, durationMs }) => ({
                    source_call_id: callId,
                    content: text ?? whole,
                    extra: { ok, duration_ms: durationMs },
                })),
            },
        }),
        ...(usage && {
            metrics: {
                prompt_tokens: promptTokens(usage),
                completion_tokens: usage.outputTokens ?? 0,
                cached_tokens: usage.cacheReadTokens ?? 0,
                ...(costUsd !== undefined && { cost_usd: costUsd }),
            },
        }),
        ...(status !== "complete" && { extra: { status } }),
    };
}
