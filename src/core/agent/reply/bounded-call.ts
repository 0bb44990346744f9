import type { Tool, ToolCallPart } from "../../../plugin/index.js";

/** Maximum bytes of a call's arguments, unless its tool accepts more. */
const MAX_INPUT_BYTES = 50 * 1024;
const MOST_LEVELS = 100;

/** The call as stored: without a refused input, which would be sent again with every request. */
export function boundedCall(call: ToolCallPart, tools: ReadonlyMap<string, Tool>): ToolCallPart {
    const refusedInput = refusal(call, tools.get(call.name)?.maxInputBytes ?? MAX_INPUT_BYTES);
    return refusedInput === undefined ? call : { ...call, input: {}, refusedInput };
}

function refusal({ input }: ToolCallPart, most: number): string | undefined {
    if (isDeeper(input, MOST_LEVELS)) {
        return `The input is nested more than ${MOST_LEVELS} levels deep; it was not kept.`;
    }
    const bytes = new TextEncoder().encode(JSON.stringify(input)).byteLength;
    if (bytes <= most) return undefined;
    return `The input has ${bytes} bytes; at most ${most} are taken. It was not kept.`;
}

function isDeeper(value: unknown, levels: number): boolean {
    if (typeof value !== "object" || value === null) return false;
    return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
