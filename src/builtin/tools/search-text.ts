import * as Type from "typebox";
import type { PlainTool, SearchResult } from "../../plugin/index.js";
import { lineRangeSchema } from "../../code/text/line-range.js";
import { counted } from "../../base/format.js";
import { renderMatches } from "./reading/render-matches.js";
import { quoted, rangeSuffix } from "./reading/wording.js";
import { asJson, success } from "./results.js";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const DIGEST_MATCHES = 10;

const inputSchema = Type.Object(
    {
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
    { additionalProperties: false }
);

export type SearchTextInput = Type.Static<typeof inputSchema>;
export type SearchTextData = SearchResult;

export const searchText: PlainTool<SearchTextInput, SearchTextData> = {
    name: "search_text",
    description: "Search file contents: lines that contain query (plain text unless regex).",
    approval: "none",
    readOnly: true,
    kind: "search",
    inputSchema,
    intent(input) {
        const folder =
            input.path === undefined ? "" : ` in ${input.path.replace(/(?<!\/)\/*$/, "/")}`;
        const file = input.file === undefined ? folder : ` in ${input.file}`;
        return `Searching ${quoted(input.query)}${file}${rangeSuffix(input.lineRange)}`;
    },
    summary: (data) =>
        counted(data.total ?? data.matches.length, "match", isPartial(data), "matches"),
    render: renderMatches,
    digest(data, input) {
        const { matches, total = matches.length } = data;
        if (input.limit !== undefined || total <= DEFAULT_LIMIT) return undefined;
        return {
            data: asJson({ matches: matches.slice(0, DIGEST_MATCHES), truncated: true, total }),
            note: `The first ${DIGEST_MATCHES} of ${total} matches.`,
        };
    },
    async execute(input, { workspace, signal }) {
        const { query, limit = DEFAULT_LIMIT, path, ...where } = input;
        const isFile = path !== undefined && (await workspace.status(path))?.type === "file";
        // Many models name a file where a folder is meant.
        const place = isFile && where.file === undefined ? { file: path } : { path };
        return success(await workspace.search(query, { ...where, ...place, limit, signal }));
    },
};

/** More than the number shown, which is the total where that is known. */
function isPartial(data: SearchResult): boolean {
    return data.truncated && data.total === undefined;
}
