import { attempt } from "../../../base/attempt.js";
import { isFields } from "../../../base/fields.js";
import type {
    CheckedCall,
    EquivalentCall,
    JsonObject,
    Tool,
    ToolCallPart,
    ToolFailure,
} from "../../../plugin/index.js";
import { authorize, denied } from "./authorize.js";
import type { RunningCall } from "./running-call.js";

/** What checks see of a call. Security: the tool that is called, not one that passes it on. */
export function checkedCall(tool: Tool, { callId, input }: ToolCallPart): CheckedCall {
    const { name, approval } = tool;
    const target = tool.target && Reflect.apply(tool.target, tool, [input]);
    return { callId, tool: name, approval, input, ...target, ...equivalentsOf(tool, input) };
}

/** Asks because a check wants it; a review of changes asks anyway, and says the reason. */
export async function refusalOf(
    tool: Tool,
    { turn, call, outlet }: RunningCall,
    reason: string
): Promise<ToolFailure | undefined> {
    if (tool.approval === "write") return undefined;
    const { callId, input } = call;
    const intent = attempt(() => tool.intent(input)) ?? tool.name;
    const plan = tool.approval === "shell" ? attempt(() => tool.command(input)) : undefined;
    const details = plan?.command ?? JSON.stringify(input, undefined, 2);
    const sentence = `${intent}: a check asks for your approval. ${reason}`;
    const question = { sentence, details, key: `check:${tool.name}` };
    const request = { kind: "ask", callId, question, isOnce: true } as const;
    const decision = await authorize(turn, request, outlet);
    if (decision.kind === "approve") return undefined;
    return denied(decision, "The user did not allow it; nothing ran.");
}

/** A tool whose own list cannot be used counts by its class. */
function equivalentsOf(tool: Tool, input: JsonObject): Pick<CheckedCall, "equivalents"> {
    const own = attempt(() => tool.equivalents && Reflect.apply(tool.equivalents, tool, [input]));
    if (Array.isArray(own) && own.every(isEquivalent) && own.length > 0) {
        return { equivalents: own };
    }
    if (tool.approval === "shell") {
        const command = attempt(() => tool.command(input))?.command;
        if (command !== undefined) return { equivalents: [{ tool: "Bash", input: { command } }] };
    }
    if (tool.approval !== "write") return {};
    const edit: JsonObject = input.path === undefined ? {} : { file_path: input.path };
    return { equivalents: [{ tool: "Edit", input: edit }] };
}

function isEquivalent(value: unknown): value is EquivalentCall {
    return isFields(value) && typeof value.tool === "string" && isFields(value.input);
}
