import { oneLine } from "../../base/format.js";
import * as Type from "typebox";
import { agentField, agentOptions, modelHint } from "./choose-agent.js";
import type { FindAgents } from "../agents/find-agents.js";
import { readOnlyTool } from "./read-only-tool.js";
import { failure, success } from "./results.js";
import { runFacts, runProblem, runProgress } from "./running/run-facts.js";

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
        intent: ({ question, agent = "explore" }) => `${agent}: ${oneLine(question)}`,
        async execute({ question, ...chosen }, { agent, note }) {
            if (!agent) return failure("no-nested-run", "A sub-agent cannot start another one.");
            const options = await agentOptions(find, chosen);
            if ("ok" in options) return options;
            const run = await agent.run({
                prompt: question,
                ...options,
                onEvent: runProgress(note),
            });
            const { text, calls, costUsd } = run;
            const why = runProblem(run);
            if (text.trim() === "") {
                return failure(
                    "no-answer",
                    why ?? "The sub-agent gave no answer.",
                    modelHint(chosen, run) ?? "Look it up yourself."
                );
            }
            const problem = why === undefined ? {} : { problem: why };
            return success({ answer: text, calls, costUsd, ...problem });
        },
        summary: (data) => runFacts([data]),
        render: ({ answer, problem }) =>
            problem === undefined ? answer : `${answer}\n[${problem}]`,
    });

export const explore = exploreTool();
