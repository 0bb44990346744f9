import { isDeepStrictEqual } from "node:util";
import type { CallToolResult } from "@modelcontextprotocol/client";
import type { DocumentPart, ImagePart, ToolResult } from "north-cli/plugin";
import { counted, oneLine } from "./reason.js";

/** What a model reads of a server's reply. */
export interface ServerData {
    readonly text?: string;
    readonly structured?: unknown;
    /** Contents and links; a link may be an address that only the server knows. */
    readonly resources?: readonly object[];
    /** What accompanies the text, a few words each. */
    readonly media?: readonly string[];
    /** What cannot be passed to a model in a tool result. */
    readonly leftOut?: readonly string[];
}

type Content = CallToolResult["content"][number];

/** https://modelcontextprotocol.io/specification/2025-06-18/server/tools#tool-result */
export function toToolResult(result: CallToolResult): ToolResult<ServerData> {
    const { content, structuredContent: structured, isError } = result;
    const texts = content.flatMap((part) => (part.type === "text" ? part.text : []));
    if (isError === true) {
        const message =
            oneLine(texts.join(" "), 4_000) || "The tool failed without giving a reason.";
        return { ok: false, error: { code: "server-error", message } };
    }
    const text = texts.filter((each) => !isRepeated(each, structured)).join("\n\n");
    const resources = content.flatMap(resourceOf);
    const media = content.flatMap(mediaOf);
    const leftOut = content.flatMap((part) => (mediaOf(part).length > 0 ? [] : omissionOf(part)));
    return {
        ok: true,
        data: {
            ...(text === "" ? {} : { text }),
            ...(structured === undefined ? {} : { structured }),
            ...(resources.length === 0 ? {} : { resources }),
            ...(media.length === 0 ? {} : { media: media.map(describeMedia) }),
            ...(leftOut.length === 0 ? {} : { leftOut }),
        },
        ...(media.length === 0 ? {} : { content: media }),
    };
}

/** What the model reads: the text as it is, since escaping costs up to a fifth more tokens. */
export function render({ text = "", ...others }: ServerData): string {
    const rest = Object.keys(others).length === 0 ? "" : JSON.stringify(others);
    return [text, rest].filter((part) => part !== "").join("\n\n") || "(nothing)";
}

/** A short summary for the user. */
export function summaryOf({ text, structured, resources, media, leftOut }: ServerData): string {
    const lines = text === undefined ? 0 : text.trimEnd().split("\n").length;
    const counts = [
        count(lines, "line"),
        structured === undefined ? "" : "structured data",
        count(resources?.length ?? 0, "resource"),
        ...(media ?? []),
        ...(leftOut ?? []),
    ];
    return counts.filter((words) => words !== "").join(", ") || "nothing";
}

function count(number: number, noun: string): string {
    return number === 0 ? "" : counted(number, noun);
}

/** Servers repeat structured content as text, for older clients. */
function isRepeated(text: string, structured: unknown): boolean {
    if (typeof structured !== "object" || structured === null) return false;
    if (Object.values(structured).includes(text)) return true;
    try {
        return isDeepStrictEqual(JSON.parse(text), structured);
    } catch {
        return false;
    }
}

function resourceOf(part: Content): object[] {
    if (part.type === "resource_link") {
        const { uri, name, description, mimeType } = part;
        return [{ uri, name, description, mimeType }];
    }
    if (part.type !== "resource" || !("text" in part.resource)) return [];
    const { uri, mimeType, text } = part.resource;
    return [{ uri, mimeType, text }];
}

const IMAGES: readonly ImagePart["mediaType"][] = [
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/gif",
];

/** Images and PDFs, the media that models accept. */
function mediaOf(part: Content): (ImagePart | DocumentPart)[] {
    const [type, data] =
        part.type === "image"
            ? [part.mimeType, part.data]
            : part.type === "resource" && "blob" in part.resource
              ? [part.resource.mimeType, part.resource.blob]
              : [];
    if (data === undefined) return [];
    if (type === "application/pdf") return [{ type: "document", mediaType: type, data }];
    const mediaType = IMAGES.find((known) => known === type);
    return mediaType ? [{ type: "image", mediaType, data }] : [];
}

function describeMedia({ mediaType, data }: ImagePart | DocumentPart): string {
    return `${mediaType}, ${sizeOf(data)}`;
}

function omissionOf(part: Content): string[] {
    if (part.type === "image" || part.type === "audio") {
        return [`${part.type} ${typeOf(part)}, ${sizeOf(part.data)}, left out`];
    }
    if (part.type !== "resource" || !("blob" in part.resource)) return [];
    const { uri, blob } = part.resource;
    return [`binary ${oneLine(uri, 200)}, ${typeOf(part.resource)}, ${sizeOf(blob)}, left out`];
}

function typeOf({ mimeType }: { mimeType?: string | undefined }): string {
    return mimeType === undefined ? "of unknown type" : oneLine(mimeType, 100);
}

function sizeOf(base64: string): string {
    return `${Math.ceil((base64.length * 3) / 4 / 1_024)} KB`;
}
