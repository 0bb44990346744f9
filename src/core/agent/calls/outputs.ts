import { firstWords } from "../../../base/format.js";
import { attempt } from "../../../base/attempt.js";
import type {
    Digest,
    DocumentPart,
    ImagePart,
    JsonValue,
    ModelInfo,
    OutputCache,
    Tool,
    ToolCallPart,
    ToolResult,
    ToolResultEntry,
    ToolSuccess,
} from "../../../plugin/index.js";
import { isFields } from "../../../base/fields.js";
import { mediaRefusal, mediaTypeOf } from "../../../base/media-type.js";

/** Maximum characters of one result for the model, digested or not. */
const MAX_CONTENT = 150_000;
const MAX_MEDIA = 10;
const MAX_PARTS = 100;
const nameOf = (text: string) => firstWords(text, 200);

type MediaSupport = Pick<ModelInfo, "images" | "documents">;

/** How models get results: as rendered by their tools, or all as JSON. */
export type ResultFormat = "text" | "json";

/** A result as stored: its JSON, the text that the model reads instead, if any, and media. */
export type StoredResult = Pick<ToolResultEntry, "content" | "text" | "media">;

/** The full outputs of one turn. Tools define how to digest a result, never when. */
export class TurnOutputs implements OutputCache {
    private readonly outputs = new Map<string, { toolName: string; content: JsonValue }>();

    constructor(
        private readonly format: ResultFormat = "text",
        private readonly media: MediaSupport = {}
    ) {}

    get(outputId: string) {
        return this.outputs.get(outputId);
    }

    /** The result as sent to the model; `notes` say how its input was coerced. */
    contentFor(
        call: ToolCallPart,
        result: ToolResult,
        tool: Tool | undefined,
        notes: readonly string[] = []
    ): StoredResult {
        if (result.ok) {
            return withParts(this.dataOf(call, result, tool, notes), result.content, this.media);
        }
        const noted = notes.length > 0 ? { notes } : {};
        return { content: JSON.stringify({ ok: false, error: result.error, ...noted }) };
    }

    private dataOf(
        call: ToolCallPart,
        result: ToolSuccess,
        tool: Tool | undefined,
        notes: readonly string[]
    ): StoredResult {
        const noted = notes.length > 0 ? { notes } : {};
        const digest = digestOf(tool, result.data, call);
        const data = digest?.data ?? result.data;
        const json = JSON.stringify({ ok: true, data, ...noted });
        const text = this.format === "text" ? rendered(tool, data, call) : undefined;
        const isCut = digest === undefined && json.length > MAX_CONTENT;
        if (!isCut && digest === undefined) return withNotes(json, text, notes);
        const digestNote = digest?.note ?? `cut after ${MAX_CONTENT} of ${json.length} characters`;
        const outputId = this.keep(call, result.data);
        const shown = isCut ? json.slice(0, MAX_CONTENT) : data;
        const content = JSON.stringify({ ok: true, data: shown, outputId, digestNote, ...noted });
        return withNotes(content, text, [
            `${digestNote} expand_output ${outputId} returns it in full.`,
            ...notes,
        ]);
    }

    private keep(call: ToolCallPart, data: unknown): string {
        const outputId = `output-${this.outputs.size + 1}`;
        const content: JsonValue = JSON.parse(JSON.stringify(data));
        this.outputs.set(outputId, { toolName: call.name, content });
        return outputId;
    }
}

function withNotes(
    content: string,
    text: string | undefined,
    notes: readonly string[]
): StoredResult {
    if (text === undefined) return { content };
    const lines = [text.slice(0, MAX_CONTENT), ...notes.map((note) => `[${note}]`)];
    return { content, text: lines.join("\n") };
}

function rendered(tool: Tool | undefined, data: unknown, call: ToolCallPart): string | undefined {
    const text: unknown = attempt(
        () => tool?.render && Reflect.apply(tool.render, tool, [data, call.input])
    );
    return typeof text === "string" ? text : undefined;
}

function digestOf(tool: Tool | undefined, data: unknown, call: ToolCallPart): Digest | undefined {
    const digest: Digest | undefined = attempt(
        () => tool?.digest && Reflect.apply(tool.digest, tool, [data, call.input])
    );
    const isUsable =
        isFields(digest) && digest.data !== undefined && typeof digest.note === "string";
    return isUsable ? digest : undefined;
}

/**
 * Adds a result's content parts to what the model reads. Invalid images become text, because the
 * vendor would reject every later request of the conversation.
 */
function withParts(stored: StoredResult, content: unknown, support: MediaSupport): StoredResult {
    if (!Array.isArray(content) || content.length === 0) return stored;
    const media: (ImagePart | DocumentPart)[] = [];
    const lines = content.slice(0, MAX_PARTS).map((part: unknown) => {
        if (!isFields(part)) return "[Part of the result cannot be read.]";
        const { type, text, path } = part;
        if (type === "text" && typeof text === "string") return text;
        if (type === "file" && typeof path === "string") return `[File: ${nameOf(path)}]`;
        const checked = checkedMedia(part, support, media.length);
        if (typeof checked === "string") return `[${checked}]`;
        media.push(checked);
        const name = checked.name === undefined ? "" : `${checked.name}, `;
        return `[${checked.type === "image" ? "Image" : "Document"}: ${name}${checked.mediaType}]`;
    });
    const text = [stored.text ?? stored.content, ...lines].join("\n\n").slice(0, MAX_CONTENT);
    return { ...stored, text, ...(media.length > 0 && { media }) };
}

function checkedMedia(
    { type, mediaType, data, name: given }: Readonly<Record<string, unknown>>,
    { images, documents }: MediaSupport,
    before: number
): ImagePart | DocumentPart | string {
    if (typeof data !== "string" || typeof mediaType !== "string") {
        return "Part of the result cannot be read.";
    }
    const name = typeof given === "string" ? { name: nameOf(given) } : {};
    const what = `${name.name ?? "unnamed"}, ${firstWords(mediaType)}`;
    if (before === MAX_MEDIA) return `Left out, more than 10 in one result: ${what}`;
    const bytes = Buffer.from(data, "base64");
    if (mediaTypeOf(bytes) !== mediaType) return `Left out, not what it claims to be: ${what}`;
    const refusal = mediaRefusal(mediaType, bytes, Buffer.byteLength(data, "base64"));
    if (refusal !== undefined) return `Left out, as it ${refusal}: ${what}`;
    if (type === "image" && mediaType.startsWith("image/")) {
        return images === true
            ? { type, mediaType, data, ...name }
            : `Image, which the current model cannot see: ${what}`;
    }
    if (type !== "document" || mediaType !== "application/pdf") return `Left out: ${what}`;
    return documents === true
        ? { type, mediaType, data, ...name }
        : `Document, which the current model cannot read: ${what}`;
}
