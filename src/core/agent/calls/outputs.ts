import type {
    Digest,
    JsonValue,
    OutputCache,
    Tool,
    ToolCallPart,
    ToolResult,
    ToolResultEntry,
} from "../../../plugin/index.js";
import { isFields } from "../../../base/fields.js";

/** Maximum characters of one result for the model, digested or not. */
export const MAX_CONTENT = 150_000;

/** How models get results: as rendered by their tools, or all as JSON. */
export type ResultFormat = "text" | "json";

/** A result as stored: its JSON, and the text that the model reads instead, if any. */
export type ToldResult = Pick<ToolResultEntry, "content" | "text">;

/** The full outputs of one turn. Tools define how to digest a result, never when. */
export class TurnOutputs implements OutputCache {
    constructor(private readonly format: ResultFormat = "text") {}

    private readonly outputs = new Map<string, { toolName: string; content: JsonValue }>();

    get(outputId: string) {
        return this.outputs.get(outputId);
    }

    /** The result as sent to the model; `notes` say how its input was coerced. */
    contentFor(
        call: ToolCallPart,
        result: ToolResult,
        tool: Tool | undefined,
        notes: readonly string[] = []
    ): ToldResult {
        const noted = notes.length > 0 ? { notes } : {};
        if (!result.ok) {
            return { content: JSON.stringify({ ok: false, error: result.error, ...noted }) };
        }
        const digest = digestOf(tool, result.data, call);
        const data = digest?.data ?? result.data;
        const json = JSON.stringify({ ok: true, data, ...noted });
        const text = this.format === "text" ? rendered(tool, data, call) : undefined;
        const isCut = digest === undefined && json.length > MAX_CONTENT;
        if (!isCut && digest === undefined) return told(json, text, notes);
        const digestNote = digest?.note ?? `cut after ${MAX_CONTENT} of ${json.length} characters`;
        const outputId = this.keep(call, result.data);
        const shown = isCut ? json.slice(0, MAX_CONTENT) : data;
        const content = JSON.stringify({ ok: true, data: shown, outputId, digestNote, ...noted });
        return told(content, text, [`${digestNote} expand_output ${outputId} has all.`, ...notes]);
    }

    private keep(call: ToolCallPart, data: unknown): string {
        const outputId = `output-${this.outputs.size + 1}`;
        const content: JsonValue = JSON.parse(JSON.stringify(data));
        this.outputs.set(outputId, { toolName: call.name, content });
        return outputId;
    }
}

function told(content: string, text: string | undefined, notes: readonly string[]): ToldResult {
    if (text === undefined) return { content };
    const lines = [text.slice(0, MAX_CONTENT), ...notes.map((note) => `[${note}]`)];
    return { content, text: lines.join("\n") };
}

function rendered(tool: Tool | undefined, data: unknown, call: ToolCallPart): string | undefined {
    const text: unknown = attempted(
        () => tool?.render && Reflect.apply(tool.render, tool, [data, call.input])
    );
    return typeof text === "string" ? text : undefined;
}

function digestOf(tool: Tool | undefined, data: unknown, call: ToolCallPart): Digest | undefined {
    const digest: Digest | undefined = attempted(
        () => tool?.digest && Reflect.apply(tool.digest, tool, [data, call.input])
    );
    const isUsable =
        isFields(digest) && digest.data !== undefined && typeof digest.note === "string";
    return isUsable ? digest : undefined;
}

/** `undefined` if the tool throws: a failure to describe a call or result must not fail it. */
export function attempted<Value>(describe: () => Value): Value | undefined {
    try {
        return describe();
    } catch {
        return undefined;
    }
}
