import type {
    Digest,
    JsonValue,
    OutputCache,
    Tool,
    ToolCallPart,
    ToolResult,
} from "../../../plugin/index.js";

/** Maximum characters of one result for the model, digested or not. */
const MAX_CONTENT = 150_000;

/**
 * The full outputs of one turn and their digests for the model. Digesting wraps every tool alike: a
 * tool defines how, never when.
 */
export class TurnOutputs implements OutputCache {
    private readonly outputs = new Map<string, { toolName: string; content: JsonValue }>();

    get(outputId: string) {
        return this.outputs.get(outputId);
    }

    /** The JSON for the model; `notes` report how its input was coerced. */
    contentFor(
        call: ToolCallPart,
        result: ToolResult,
        tool: Tool | undefined,
        notes: readonly string[] = []
    ): string {
        if (!result.ok) return JSON.stringify({ ok: false, error: result.error });
        const noted = notes.length > 0 ? { notes } : {};
        const digest = digestOf(tool, result.data, call);
        if (digest) {
            return JSON.stringify({
                ok: true,
                data: digest.data,
                outputId: this.keep(call, result.data),
                digestNote: digest.note,
                ...noted,
            });
        }
        const content = JSON.stringify({ ok: true, data: result.data, ...noted });
        if (content.length <= MAX_CONTENT) return content;
        return JSON.stringify({
            ok: true,
            data: content.slice(0, MAX_CONTENT),
            outputId: this.keep(call, result.data),
            digestNote: `cut after ${MAX_CONTENT} of ${content.length} characters`,
            ...noted,
        });
    }

    private keep(call: ToolCallPart, data: unknown): string {
        const outputId = `output-${this.outputs.size + 1}`;
        const content: JsonValue = JSON.parse(JSON.stringify(data));
        this.outputs.set(outputId, { toolName: call.name, content });
        return outputId;
    }
}

function digestOf(tool: Tool | undefined, data: unknown, call: ToolCallPart): Digest | undefined {
    if (!tool?.digest) return undefined;
    return Reflect.apply(tool.digest, tool, [data, call.input]);
}
