import { readingAdvice } from "../reading-advice.js";
import { truncateMiddle } from "../../../base/format.js";
import type { JsonObject, Mode, Tool, ToolCallPart, ToolFailure } from "../../../plugin/index.js";
import { onlyReads } from "../../../plugin/modes.js";
import type * as inputs from "../../../base/check-input.js";
import { type ContainedRuns, containsFirst } from "../../approval/contained-runs.js";
import { failure } from "../failure.js";
import type { Turn } from "../turn.js";

export type CallPlan =
    | {
          readonly tool: Tool;
          readonly input: JsonObject;
          /** How the input was coerced, for the model. */
          readonly notes: readonly string[];
      }
    | RefusedCall;

/** Of an unreadable input. */
const MAX_SHOWN_CHARACTERS = 150;

interface RefusedCall {
    readonly tool?: undefined;
    readonly failure: ToolFailure;
    readonly notes: readonly [];
    /** For the user. */
    readonly notice?: string;
}

/** Whether a tool may run in a mode. A contained command does no more than read. */
export function isOffered(tool: Tool, mode: Mode, contained: ContainedRuns | undefined): boolean {
    if (!onlyReads(mode) || tool.readOnly) return true;
    return tool.approval === "shell" && contained !== undefined && containsFirst(contained.mode);
}

export async function planCall(turn: Turn, call: ToolCallPart): Promise<CallPlan> {
    const unreadable = unreadableInput(call);
    if (unreadable) return refused(unreadable);
    const { checkInput } = await import("../../../base/check-input.js");
    const tool = turn.request.tools.get(call.name) ?? (await guessTool(turn, call, checkInput));
    if (!tool) return refused(unknownTool(turn, call.name));
    if (!isOffered(tool, turn.settings.mode, turn.project.contained)) {
        return refused(
            failure(
                "not-in-this-mode",
                `${tool.name} is not available in ${turn.settings.mode} mode, which only reads.`,
                readingAdvice(turn.settings.mode)
            )
        );
    }
    const checked = await checkInput(tool.inputSchema, call.input);
    if (checked.ok) return { tool, input: checked.input, notes: checked.notes };
    const { code, message } = checked.error;
    return code === "broken-schema" ? brokenTool(turn, tool, message) : refused(checked);
}

function refused(failure: ToolFailure): RefusedCall {
    return { failure, notes: [] };
}

/**
 * Guesses the intended tool: the only one with that name in another case, else the only read-only
 * tool whose name contains the word and whose schema accepts the input. Many models call `read`.
 */
async function guessTool(
    turn: Turn,
    { name, input }: ToolCallPart,
    checkInput: typeof inputs.checkInput
): Promise<Tool | undefined> {
    const wanted = withoutWrapping(name).toLowerCase();
    const tools = [...turn.request.tools.values()];
    const sameName = tools.filter((tool) => tool.name.toLowerCase() === wanted);
    if (sameName.length > 0) return only(sameName);
    const related: Tool[] = [];
    for (const tool of tools) {
        if (!tool.readOnly || !tool.name.toLowerCase().split("_").includes(wanted)) continue;
        if ((await checkInput(tool.inputSchema, input)).ok) related.push(tool);
    }
    return only(related);
}

/** gpt-oss leaves its format in names: `functions.read_file`, `read_file<|channel|>commentary`. */
function withoutWrapping(name: string): string {
    return name.replace(/^functions\./, "").replace(/<\|.*$/s, "");
}

function only(tools: readonly Tool[]): Tool | undefined {
    return tools.length === 1 ? tools[0] : undefined;
}

/** Only the tool's author can fix it, so the model gets a failure and the user is warned once. */
function brokenTool(turn: Turn, tool: Tool, reason: string): CallPlan {
    const message = `${tool.name} is broken: its inputSchema cannot be used (${reason}).`;
    const hint = "Do not call it again; continue without it.";
    const plan = refused(failure("broken-tool", message, hint));
    if (!turn.session.once.first(message)) return plan;
    turn.log.event("error", "broken_tool", { tool: tool.name, reason });
    return { ...plan, notice: `${message} \`north tools\` names its plugin.` };
}

function unknownTool(turn: Turn, name: string): ToolFailure {
    const names = turn.request.schemas.map((schema) => schema.name).join(", ");
    const message = `There is no tool called "${name}".`;
    return failure("unknown-tool", message, `The tools are: ${names}.`);
}

/** The model does not see what it sent: the log keeps only an empty object in its place. */
function shortened(text: string): string {
    if (text === "") return "it is empty.";
    return `\`${truncateMiddle(text, MAX_SHOWN_CHARACTERS)}\`.`;
}

function unreadableInput({ malformedInput, refusedInput }: ToolCallPart): ToolFailure | undefined {
    if (malformedInput !== undefined) {
        return failure(
            "malformed-input",
            `The input is not a JSON object (${malformedInput.length} characters): ${shortened(malformedInput)} Nothing was executed.`,
            "Send the call again with complete, valid JSON."
        );
    }
    if (refusedInput === undefined) return undefined;
    return failure(
        "input-too-large",
        refusedInput,
        'Write a large file as streamed text, `<NORTH_FILE path="...">` ... `</NORTH_FILE>`, ' +
            "each tag alone on a line; split a batch; or make the change in several smaller edits."
    );
}
