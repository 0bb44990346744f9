import type { JsonObject, Tool, ToolCallPart, ToolError } from "../../../plugin/index.js";
import type * as inputs from "../../../base/check-input.js";
import { isOffered } from "./offered-tools.js";
import type { Turn } from "../turn.js";

/** A call to execute, or the reason it is refused. */
export type CallPlan =
    | {
          readonly kind: "ready";
          readonly tool: Tool;
          readonly input: JsonObject;
          /** How the input was coerced, for the model. */
          readonly notes: readonly string[];
      }
    | {
          readonly kind: "refused";
          readonly error: ToolError;
          /** A notice for the user. */
          readonly notice?: string;
      };

/** Unusable tools that the user has been warned about. */
const brokenTools = new WeakSet<Tool>();

/** Validates a call before anything is executed. */
export async function planCall(turn: Turn, call: ToolCallPart): Promise<CallPlan> {
    const error = unreadable(call);
    if (error) return { kind: "refused", error };
    const { checkInput } = await import("../../../base/check-input.js");
    const tool = turn.tools.get(call.name) ?? (await meantTool(turn, call, checkInput));
    if (!tool) return { kind: "refused", error: unknownTool(turn, call.name) };
    if (!isOffered(tool, turn.mode, turn.contained)) {
        return { kind: "refused", error: notInThisMode(tool) };
    }
    const checked = await checkInput(tool.inputSchema, call.input);
    if (checked.ok) return { kind: "ready", tool, input: checked.input, notes: checked.notes };
    const { code, message } = checked.error;
    if (code === "broken-schema") return brokenTool(turn, tool, message);
    return { kind: "refused", error: checked.error };
}

/**
 * The only tool with that name in another case, else the only read-only tool whose name contains
 * the word and whose schema accepts the input: many models call `read`.
 */
async function meantTool(
    turn: Turn,
    { name, input }: ToolCallPart,
    checkInput: typeof inputs.checkInput
): Promise<Tool | undefined> {
    const wanted = name.toLowerCase();
    const tools = [...turn.tools.values()];
    const spelled = tools.filter((tool) => tool.name.toLowerCase() === wanted);
    if (spelled.length > 0) return only(spelled);
    const related: Tool[] = [];
    for (const tool of tools) {
        if (!tool.readOnly || !tool.name.toLowerCase().split("_").includes(wanted)) continue;
        if ((await checkInput(tool.inputSchema, input)).ok) related.push(tool);
    }
    return only(related);
}

function only(tools: readonly Tool[]): Tool | undefined {
    return tools.length === 1 ? tools[0] : undefined;
}

/** Only the tool's author can fix it: the model cannot, and the user is warned once. */
function brokenTool(turn: Turn, tool: Tool, reason: string): CallPlan {
    const message = `${tool.name} is broken: its inputSchema cannot be used (${reason}).`;
    const hint = "Do not call it again; continue without it.";
    const isNews = !brokenTools.has(tool);
    brokenTools.add(tool);
    if (isNews) turn.log.event("error", "broken_tool", { tool: tool.name, reason });
    return {
        kind: "refused",
        error: { code: "broken-tool", message, hint },
        ...(isNews ? { notice: `${message} \`north tools\` names its plugin.` } : {}),
    };
}

function notInThisMode({ name }: Tool): ToolError {
    return {
        code: "not-in-this-mode",
        message: `${name} is not available in ask mode, which only reads.`,
        hint: "Describe the change; the user can switch to agent mode.",
    };
}

function unknownTool(turn: Turn, name: string): ToolError {
    const names = turn.schemas.map((schema) => schema.name).join(", ");
    return {
        code: "unknown-tool",
        message: `There is no tool called "${name}".`,
        hint: `The tools are: ${names}.`,
    };
}

function unreadable({ malformedInput, refusedInput }: ToolCallPart): ToolError | undefined {
    if (malformedInput !== undefined) {
        return {
            code: "malformed-input",
            message: `The input is not a JSON object (${malformedInput.length} characters); nothing was executed.`,
            hint: "Send the call again with complete, valid JSON.",
        };
    }
    if (refusedInput === undefined) return undefined;
    return {
        code: "input-too-large",
        message: refusedInput,
        hint:
            'Write a large file as streamed text, `<NORTH_FILE path="...">` ... `</NORTH_FILE>`, ' +
            "each tag alone on a line; split a batch; or make the change in several smaller edits.",
    };
}
