import * as Type from "typebox";
import { countedAtLeast } from "../../base/format.js";
import { readOnlyTool } from "./read-only-tool.js";
import { success } from "./results.js";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
const WHOLE_FILES = 100;
const DIGEST_FILES = 20;

export const findFiles = readOnlyTool({
    name: "find_files",
    isEssential: true,
    description:
        "Find files by glob, ignoring case. A pattern without / matches names in any folder.",
    kind: "search",
    input: {
        pattern: Type.String({ minLength: 1, maxLength: 1000 }),
        limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
        ),
    },
    equivalents: ({ pattern }) => [{ tool: "Glob", input: { pattern } }],
    intent: (input) => `Finding ${input.pattern}`,
    async execute({ pattern, limit = DEFAULT_LIMIT }, { workspace, signal }) {
        return success(await workspace.find(pattern, { limit, signal }));
    },
    summary: (data) => countedAtLeast(data.files.length, "file", data),
    render({ files, truncated, total }) {
        if (files.length === 0) return "No files.";
        const more = truncated ? [`[${files.length} of ${total ?? "more"} files]`] : [];
        return [...files, ...more].join("\n");
    },
    digest({ files, total = files.length }, { limit }) {
        if (limit !== undefined || total <= WHOLE_FILES) return undefined;
        return {
            data: { files: files.slice(0, DIGEST_FILES), truncated: true, total },
            note: `The first ${DIGEST_FILES} of ${total} files.`,
        };
    },
});
