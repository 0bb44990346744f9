import { MAX_MEDIA_BYTES } from "../../../base/media-type.js";
import type { FileContent, ToolResult } from "../../../plugin/index.js";
import { failure, success } from "../results.js";
import type { ReadFileData } from "./render-reading.js";

const NO_LINES = {
    content: "",
    startLine: 0,
    endLine: 0,
    totalLines: 0,
    truncated: false,
} as const;

/** Returns an image or PDF, attached after the data. */
export function mediaReading(
    { path, bytes }: FileContent,
    mediaType: string
): ToolResult<ReadFileData> {
    if (bytes.length > MAX_MEDIA_BYTES) {
        return failure("too-large", `${path} is larger than the 5 MB that models accept.`);
    }
    const data = Buffer.from(bytes).toString("base64");
    const part =
        mediaType === "application/pdf"
            ? ({ type: "document", mediaType, data, name: path } as const)
            : ({ type: "image", mediaType, data, name: path } as const);
    return success({ path, mediaType, sizeBytes: bytes.length, ...NO_LINES }, { content: [part] });
}
