import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { leavesFolder } from "../base/paths.js";
import type { GivenAttachment } from "../core/message/attachments.js";

// https://agentclientprotocol.com/protocol/v1/content

interface EditorMessage {
    readonly text: string;
    readonly attached: readonly GivenAttachment[];
}

/** Attaches links and embedded text, and leaves their names in the message. */
export function messageOf(blocks: readonly ContentBlock[], editorRoot: string): EditorMessage {
    const parts = blocks.map((block) => partOf(block, editorRoot));
    return {
        text: parts
            .map(({ text }) => text)
            .join("")
            .trim(),
        attached: parts.flatMap(({ attached }) => attached ?? []),
    };
}

interface PromptPart {
    readonly text: string;
    readonly attached?: GivenAttachment;
}

function partOf(block: ContentBlock, editorRoot: string): PromptPart {
    switch (block.type) {
        case "text":
            return { text: block.text };
        case "resource_link": {
            const file = fileOf(block.uri);
            if (file === undefined) return { text: `${block.name} (${block.uri})` };
            const name = nameOf(file, block.uri, editorRoot);
            return { text: `@${name}`, attached: { kind: "file", path: file } };
        }
        case "resource": {
            const { resource } = block;
            const file = fileOf(resource.uri);
            const name = file ? nameOf(file, resource.uri, editorRoot) : resource.uri;
            if ("text" in resource) {
                return { text: `@${name}`, attached: { kind: "text", name, text: resource.text } };
            }
            return { text: `@${name}`, attached: { kind: "image", name, data: resource.blob } };
        }
        case "image": {
            const name = block.uri ? path.basename(block.uri) : "image";
            return { text: "", attached: { kind: "image", name, data: block.data } };
        }
        case "audio":
            return { text: "[audio, not supported]" };
        default:
            return block satisfies never;
    }
}

function fileOf(uri: string): string | undefined {
    try {
        const url = new URL(uri);
        if (url.protocol !== "file:") return undefined;
        url.search = "";
        url.hash = "";
        return fileURLToPath(url);
    } catch {
        return path.isAbsolute(uri) ? uri : undefined;
    }
}

/** Relative if inside the project, with the editor's line range, such as `#L1:9`. */
function nameOf(file: string, uri: string, editorRoot: string): string {
    const relative = path.relative(editorRoot, file);
    const isBelow = relative !== "" && !leavesFolder(relative);
    const lines = /#(L\d[-:L\d]*)$/.exec(uri)?.[1];
    return `${isBelow ? relative : file}${lines === undefined ? "" : `#${lines}`}`;
}
