import type { Tool, ToolCallPart, ToolError } from "../../../plugin/index.js";
import { checkInput } from "../../registry/validate-input.js";
import type { Turn } from "../turn/turn.js";

/** Most bytes of one call's arguments. */
const MAX_INPUT_BYTES = 50 * 1024;

/** A call that may be carried out, or the reason why it is not even tried. */
export type CallPlan =
    | { readonly kind: "ready"; readonly tool: Tool }
    | {
          readonly kind: "refused";
          readonly error: ToolError;
          /** What the user should know about it. */
          readonly notice?: string;
      };

/** Tools that can never be called, of which the user was told. */
const brokenTools = new WeakSet<Tool>();

/** Checks a call before anything of it is executed. */
export async function planCall(turn: Turn, call: ToolCallPart): Promise<CallPlan> {
    const tool = turn.tools.get(call.name);
    const error = unavailable(turn, call, tool) ?? malformed(call) ?? oversized(call);
    if (error || !tool) return { kind: "refused", error: error ?? unknownTool(turn, call.name) };
    const check = await checkInput(tool.inputSchema, call.input);
    switch (check.kind) {
        case "valid":
            return { kind: "ready", tool };
        case "invalid":
            return { kind: "refused", error: check.error };
        case "broken-schema":
            return brokenTool(turn, tool, check.reason);
        default:
            return check satisfies never;
    }
}

/** Whoever wrote the tool has to mend it: the model cannot, and the user is told once. */
function brokenTool(turn: Turn, tool: Tool, reason: string): CallPlan {
    const message = `${tool.name} is broken: its inputSchema cannot be used (${reason}).`;
    const hint = "Do not call it again; go on without it.";
    const isNews = !brokenTools.has(tool);
    brokenTools.add(tool);
    if (isNews) turn.log.event("error", "broken_tool", { tool: tool.name, reason });
    return {
        kind: "refused",
        error: { code: "broken-tool", message, hint },
        ...(isNews ? { notice: `${message} \`north tools\` names its plugin.` } : {}),
    };
}

function unavailable(turn: Turn, call: ToolCallPart, tool?: Tool): ToolError | undefined {
    if (!tool) return unknownTool(turn, call.name);
    if (turn.mode === "agent" || tool.readOnly) return undefined;
    return {
        code: "not-in-this-mode",
        message: `${call.name} is not available in ask mode, which only reads.`,
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

function malformed({ malformedInput }: ToolCallPart): ToolError | undefined {
    if (malformedInput === undefined) return undefined;
    return {
        code: "malformed-input",
        message: `The input is not a JSON object (${malformedInput.length} characters); nothing was executed.`,
        hint: "Send the call again with complete, valid JSON.",
    };
}

function oversized(call: ToolCallPart): ToolError | undefined {
    const bytes = new TextEncoder().encode(JSON.stringify(call.input)).byteLength;
    if (bytes <= MAX_INPUT_BYTES) return undefined;
    return {
        code: "input-too-large",
        message: `The input has ${bytes} bytes; at most ${MAX_INPUT_BYTES} are taken.`,
        hint:
            'Write a large file as streamed text, `<NORTH_FILE path="...">` ... `</NORTH_FILE>`, ' +
            "each tag alone on a line, or make the change in several smaller edits.",
    };
}
