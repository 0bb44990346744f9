import * as Type from "typebox";
import { counted, firstWords } from "../../base/format.js";
import type { Delegated, DelegatedTask, NestedRun, PlainTool } from "../../plugin/index.js";
import {
    agentField,
    agentOptions,
    type AgentOptions,
    type Chosen,
    modelHint,
} from "./choose-agent.js";
import type { FindAgents } from "../agents/find-agents.js";
import { renderWritten } from "./editing/edit-tool.js";
import { strictObject } from "./read-only-tool.js";
import { failure, success } from "./results.js";
import { runFacts, runProblem, runProgress } from "./running/run-facts.js";

const MAX_REQUESTS = 50;

const schemaOf = (find: FindAgents | undefined) =>
    strictObject({
        tasks: Type.Array(
            strictObject({
                task: Type.String({ minLength: 1, maxLength: 8_000 }),
                model: Type.Optional(Type.String()),
                ...agentField(find),
            }),
            { minItems: 1, maxItems: 8 }
        ),
    });

type Input = Type.Static<ReturnType<typeof schemaOf>>;

interface Data extends Omit<Delegated, "runs"> {
    readonly tasks: readonly (Pick<NestedRun, "calls" | "costUsd"> & {
        readonly task: string;
        readonly answer: string;
        readonly problem?: string;
    })[];
}

/** `find`: the project's agents, if it has any. */
export const delegateTool = (find?: FindAgents): PlainTool<Input, Data> => ({
    name: "delegate",
    description:
        "Have sub-agents do independent tasks in parallel; they do not see this conversation. Their edits become one change; conflicts come back to you.",
    approval: "none",
    readOnly: false,
    startsRuns: true,
    inputSchema: schemaOf(find),
    equivalents: ({ tasks }) =>
        tasks.map(({ task, agent }) => ({
            tool: "Task",
            input: { prompt: task, ...(agent !== undefined && { subagent_type: agent }) },
        })),
    intent: ({ tasks }) => `delegate: ${tasks.map(({ task }) => firstWords(task)).join("; ")}`,
    async execute({ tasks }, { agent, note }) {
        if (!agent?.delegate) return failure("no-nested-run", "Tasks cannot be delegated here.");
        const options: AgentOptions[] = [];
        for (const task of tasks) {
            const chosen = await agentOptions(find, task);
            if ("ok" in chosen) return chosen;
            options.push(chosen);
        }
        const onEvent = runProgress(note, `${counted(tasks.length, "task")} · `);
        const given = tasks.map(({ task }, index): DelegatedTask => ({
            name: `task ${index + 1}`,
            prompt: task,
            maxTurns: MAX_REQUESTS,
            ...options[index],
            onEvent,
        }));
        const { runs, ...rest } = await agent.delegate(given);
        const data: Data = {
            tasks: runs.map(({ text, calls, costUsd, ...run }, index) => ({
                ...{ task: tasks[index]?.task ?? "", answer: text.trim(), calls, costUsd },
                ...problemOf(run, tasks[index]),
            })),
            ...rest,
        };
        const display = data.tasks.map(lineOf).join("\n");
        const { written } = rest;
        if (written?.ok !== false) return success(data, { display });
        const { error } = written;
        const hint = [error.hint, `The sub-agents reported:\n${answersOf(data)}`].filter(Boolean);
        return { ok: false, error: { ...error, hint: hint.join("\n") } };
    },
    summary: ({ tasks }) => runFacts(tasks),
    render: (data) =>
        [answersOf(data), writtenOf(data), ...conflictsOf(data)]
            .filter((text) => text !== "")
            .join("\n\n"),
});

export const delegate = delegateTool();

function problemOf(
    run: Pick<NestedRun, "problem" | "problemCode" | "stopReason">,
    chosen: Chosen = {}
) {
    const problem = [runProblem(run), modelHint(chosen, run)].filter(Boolean).join(" ");
    return problem === "" ? {} : { problem };
}

/** `1  Fix the parser · 12 calls · $0.02` */
function lineOf({ task, problem, ...run }: Data["tasks"][number], index: number): string {
    const end = problem === undefined ? "" : ` · ${problem}`;
    return `${index + 1}  ${firstWords(task)} · ${runFacts([run])}${end}`;
}

function answersOf({ tasks }: Pick<Data, "tasks">): string {
    return tasks
        .map(({ answer, problem }, index) => {
            const said = [answer || "(no answer)", ...(problem === undefined ? [] : [problem])];
            return `task ${index + 1}: ${said.join("\n")}`;
        })
        .join("\n\n");
}

function writtenOf({ written }: Data): string {
    if (!written) return "No file was changed.";
    return written.ok ? renderWritten(written.data) : "";
}

function conflictsOf({ conflicts }: Pick<Data, "conflicts">): readonly string[] {
    if (conflicts.length === 0) return [];
    const all = conflicts.map(({ path, line, sides }) => {
        const place = line === undefined ? path : `${path}:${line}`;
        return [place, ...sides.map(({ by, text }) => `<${by}>\n${text}\n</${by}>`)].join("\n");
    });
    const title = `${counted(conflicts.length, "conflict")}. Conflicting lines are in the file between \`<<<<<<<\` and \`>>>>>>>\`, else one side was kept. Resolve each.`;
    return [[title, ...all].join("\n")];
}
