import * as Type from "typebox";
import { countedAtLeast } from "../../base/format.js";
import { lineRangeSchema } from "../../code/text/line-range.js";
import { readOnlyTool } from "./read-only-tool.js";
import { renderMatches } from "./reading/render-matches.js";
import { quoted, rangeSuffix } from "./reading/wording.js";
import { asJson, success } from "./results.js";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const DIGEST_MATCHES = 10;

export const searchText = readOnlyTool({
    name: "search_text",
    isEssential: true,
    description: "Search file contents: lines that contain query (plain text unless regex).",
    kind: "search",
    input: {
        query: Type.String({ minLength: 1 }),
        path: Type.Optional(Type.String({ description: "Folder to search; excludes file" })),
        file: Type.Optional(Type.String({ description: "Search this file only" })),
        lineRange: Type.Optional({
            ...lineRangeSchema,
            description: "1-based, inclusive; needs file",
        }),
        regex: Type.Optional(Type.Boolean({ description: "query is an RE2 pattern" })),
        contextLines: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
        limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
        ),
    },
    equivalents: ({ query, path, file }) => [
        { tool: "Grep", input: { pattern: query, path: file ?? path ?? "." } },
    ],
    intent({ query, path, file, lineRange }) {
        const folder = path === undefined ? "" : ` in ${path.replace(/(?<!\/)\/*$/, "/")}`;
        const where = file === undefined ? folder : ` in ${file}`;
        return `Searching ${quoted(query)}${where}${rangeSuffix(lineRange)}`;
    },
    async execute(input, { workspace, signal }) {
        const { query, limit = DEFAULT_LIMIT, path, ...where } = input;
        const isFile = path !== undefined && (await workspace.status(path))?.type === "file";
        // Models often name a file as `path`.
        const place = isFile && where.file === undefined ? { file: path } : { path };
        return success(await workspace.search(query, { ...where, ...place, limit, signal }));
    },
    // `+` if the total is unknown.
    summary: ({ matches, total, truncated }) =>
        countedAtLeast(total ?? matches.length, "match", {
            truncated: truncated && total === undefined,
            plural: "matches",
        }),
    render: renderMatches,
    digest({ matches, total = matches.length }, { limit }) {
        if (limit !== undefined || total <= DEFAULT_LIMIT) return undefined;
        return {
            data: asJson({ matches: matches.slice(0, DIGEST_MATCHES), truncated: true, total }),
            note: `The first ${DIGEST_MATCHES} of ${total} matches.`,
        };
    },
});
