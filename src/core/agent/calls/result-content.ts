import { isFields } from "../../../base/fields.js";
import { MAX_MEDIA_BYTES, mediaTypeOf } from "../../../base/media-type.js";
import type {
    DocumentPart,
    ImagePart,
    ModelInfo,
    ToolResultPart,
    ToolResult,
} from "../../../plugin/index.js";

import { MAX_CONTENT, type ToldResult } from "./outputs.js";

const MOST_MEDIA = 10;
const MOST_PARTS = 100;

/**
 * Adds a result's content parts to what the model reads. Invalid images become text, because the
 * vendor would reject every later request of the conversation.
 */
export function withContent(
    told: ToldResult,
    result: ToolResult,
    model: ModelInfo
): ToldResult & Pick<ToolResultPart, "media"> {
    const content: unknown = result.ok ? result.content : undefined;
    if (!Array.isArray(content) || content.length === 0) return told;
    const media: (ImagePart | DocumentPart)[] = [];
    const lines = content.slice(0, MOST_PARTS).map((part: unknown) => {
        if (!isFields(part)) return "[A part of the result cannot be read.]";
        const { type, text, path } = part;
        if (type === "text" && typeof text === "string") return text;
        if (type === "file" && typeof path === "string") return `[File: ${oneLine(path)}]`;
        const checked = checkedMedia(part, model, media.length);
        if (typeof checked === "string") return `[${checked}]`;
        media.push(checked);
        const name = checked.name === undefined ? "" : `${checked.name}, `;
        return `[${checked.type === "image" ? "Image" : "Document"}: ${name}${checked.mediaType}]`;
    });
    const text = [told.text ?? told.content, ...lines].join("\n\n").slice(0, MAX_CONTENT);
    return { ...told, text, ...(media.length > 0 && { media }) };
}

function checkedMedia(
    { type, mediaType, data, name: given }: Readonly<Record<string, unknown>>,
    { images, documents }: ModelInfo,
    before: number
): ImagePart | DocumentPart | string {
    if (typeof data !== "string" || typeof mediaType !== "string") {
        return "A part of the result cannot be read.";
    }
    const name = typeof given === "string" ? { name: oneLine(given) } : {};
    const what = `${name.name ?? "unnamed"}, ${oneLine(mediaType)}`;
    if (data.length > (MAX_MEDIA_BYTES * 4) / 3 + 4) return `Left out, larger than 5 MB: ${what}`;
    if (before === MOST_MEDIA) return `Left out, the 11th of a result: ${what}`;
    if (mediaTypeOf(Buffer.from(data.slice(0, 24), "base64")) !== mediaType) {
        return `Left out, not what it says it is: ${what}`;
    }
    if (type === "image" && mediaType.startsWith("image/")) {
        return images === true
            ? { type, mediaType, data, ...name }
            : `Image, which the model in use cannot see: ${what}`;
    }
    if (type !== "document" || mediaType !== "application/pdf") return `Left out: ${what}`;
    return documents === true
        ? { type, mediaType, data, ...name }
        : `Document, which the model in use cannot read: ${what}`;
}

function oneLine(text: string): string {
    return text.replace(/\s+/g, " ").slice(0, 200);
}
