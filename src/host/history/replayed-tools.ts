import { isFields } from "../../base/fields.js";
import type { RecordedTurn } from "../../core/history/recorded-turns.js";
import type { PlainTool, Tool, ToolResult } from "../../plugin/index.js";

/** The tools of a turn; one that cannot be used again answers as it did, and its call is told. */
export function replayedTools(
    tools: ReadonlyMap<string, Tool>,
    turn: RecordedTurn,
    notRun: (callId: string) => void
): ReadonlyMap<string, Tool> {
    const all = new Map(tools);
    for (const { name } of turn.results) {
        if (!tools.has(name)) all.set(name, recordedTool(name, turn, notRun));
    }
    return all;
}

function recordedTool(
    name: string,
    turn: RecordedTurn,
    notRun: (callId: string) => void
): PlainTool {
    const left = turn.results.filter((result) => result.name === name);
    return {
        name,
        description: "",
        inputSchema: { type: "object" },
        readOnly: true,
        approval: "none",
        intent: () => name,
        async execute(): Promise<ToolResult> {
            const result = left.shift();
            if (result) notRun(result.callId);
            const content: unknown = result && JSON.parse(result.content);
            return { ok: true, data: isFields(content) ? content.data : undefined };
        },
    };
}
