import * as Type from "typebox";
import type { FindResult, PlainTool } from "../../plugin/index.js";
import { counted } from "../../base/format.js";
import { success } from "./results.js";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
const WHOLE_FILES = 100;
const DIGEST_FILES = 20;

const inputSchema = Type.Object(
    {
        pattern: Type.String({ minLength: 1, maxLength: 1000 }),
        limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
        ),
    },
    { additionalProperties: false }
);

export type FindFilesInput = Type.Static<typeof inputSchema>;
export type FindFilesData = FindResult;

export const findFiles: PlainTool<FindFilesInput, FindFilesData> = {
    name: "find_files",
    description:
        "Find files by glob, ignoring case. A pattern without / matches names in any folder.",
    approval: "none",
    readOnly: true,
    kind: "search",
    inputSchema,
    intent: (input) => `Finding ${input.pattern}`,
    summary: (data) => counted(data.files.length, "file", data.truncated),
    render({ files, truncated, total }) {
        if (files.length === 0) return "No files.";
        const more = truncated ? [`[${files.length} of ${total ?? "more"} files]`] : [];
        return [...files, ...more].join("\n");
    },
    digest(data, input) {
        const { files, total = files.length } = data;
        if (input.limit !== undefined || total <= WHOLE_FILES) return undefined;
        return {
            data: { files: files.slice(0, DIGEST_FILES), truncated: true, total },
            note: `The first ${DIGEST_FILES} of ${total} files.`,
        };
    },
    async execute(input, { workspace, signal }) {
        const limit = input.limit ?? DEFAULT_LIMIT;
        return success(await workspace.find(input.pattern, { limit, signal }));
    },
};
