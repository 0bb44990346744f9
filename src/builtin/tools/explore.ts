import * as Type from "typebox";
import { addCosts, counted, formatUsd } from "../../base/format.js";
import { agentField, agentOptions, modelHint } from "./choose-agent.js";
import type { FindAgents } from "../agents/find-agents.js";
import { readOnlyTool } from "./read-only-tool.js";
import { failure, success } from "./results.js";

/** `find`: the project's agents, if it has any. */
export const exploreTool = (find?: FindAgents) =>
    readOnlyTool({
        name: "explore",
        description:
            "Have a sub-agent look up what takes many reads. It only reads, does not see this conversation, and answers once. Several run in parallel.",
        startsRuns: true,
        input: {
            question: Type.String({ minLength: 1, maxLength: 2_000 }),
            model: Type.Optional(Type.String()),
            ...agentField(find),
        },
        equivalents: ({ question, agent }) => [
            { tool: "Task", input: { prompt: question, ...(agent && { subagent_type: agent }) } },
        ],
        intent: ({ question, agent = "explore" }) => `${agent}: ${question.replace(/\s+/g, " ")}`,
        async execute({ question, ...chosen }, { agent, note }) {
            if (!agent) return failure("no-nested-run", "A sub-agent cannot start another one.");
            const options = await agentOptions(find, chosen);
            if ("ok" in options) return options;
            let calls = 0;
            let costUsd: number | null = 0;
            const run = await agent.run({
                prompt: question,
                ...options,
                onEvent(event) {
                    if (event.type === "notice") return note(event.text);
                    if (event.type === "call") {
                        calls += 1;
                    } else if (event.type === "cost") {
                        costUsd = addCosts(costUsd, event.costUsd);
                    }
                    note(factsOf(calls, costUsd));
                },
            });
            const { text, stopReason, problem } = run;
            const why =
                stopReason === "end" ? problem : (problem ?? `It ended early: ${stopReason}.`);
            if (text.trim() === "") {
                return failure(
                    "no-answer",
                    why ?? "The sub-agent gave no answer.",
                    modelHint(chosen, run) ?? "Look it up yourself."
                );
            }
            const facts = { calls: run.calls, costUsd: run.costUsd };
            return success({
                answer: text,
                ...facts,
                ...(why === undefined ? {} : { problem: why }),
            });
        },
        summary: ({ calls, costUsd }) => factsOf(calls, costUsd),
        render: ({ answer, problem }) =>
            problem === undefined ? answer : `${answer}\n[${problem}]`,
    });

export const explore = exploreTool();

function factsOf(calls: number, costUsd: number | null): string {
    const cost = costUsd === null ? "price unknown" : formatUsd(costUsd);
    return `${counted(calls, "call")} · ${cost}`;
}
