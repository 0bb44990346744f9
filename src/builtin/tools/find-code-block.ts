import * as Type from "typebox";
import { counted } from "../../base/format.js";
import { readBraces } from "../../code/braces.js";
import { enclosingBlocks } from "../../code/enclosing.js";
import { isMarkup } from "../../code/languages.js";
import type { FileStructure, Section } from "../../code/section.js";
import { shortenLine } from "../../code/text/line-window.js";
import { readOnlyTool } from "./read-only-tool.js";
import { readStructured } from "./reading/source-parts.js";
import { quoted } from "./reading/wording.js";
import { success } from "./results.js";
import { readOf } from "./equivalents.js";

const LIMIT = 50;
const SNIPPET_LINES = 5;
const SNIPPET_LINE_LENGTH = 300;

export const findCodeBlock = readOnlyTool({
    name: "find_code_block",
    description: "Find the innermost functions, classes or blocks of a file that contain a text.",
    kind: "search",
    input: {
        path: Type.String(),
        query: Type.String({ minLength: 1, description: "Exact text" }),
        kind: Type.Optional(
            Type.Enum(["function", "class", "method", "block", "any"], { default: "any" })
        ),
    },
    equivalents: readOf,
    intent: (input) => `Finding the block of ${quoted(input.query)} in ${input.path}`,
    async execute({ path, query, kind = "any" }, context) {
        const { file, structure } = await readStructured(context, path);
        const text = file.lines.join("\n");
        const { blocks, occurrences } = enclosingBlocks(
            blocksIn(structure, text),
            text,
            query.replace(/\r\n/g, "\n"),
            kind
        );
        const matches = blocks.slice(0, LIMIT).map(({ section, kind }) => {
            const { startLine, endLine, name } = section;
            const lines = file.lines.slice(startLine - 1, endLine).slice(0, SNIPPET_LINES);
            const snippet = lines.map((line) => shortenLine(line, SNIPPET_LINE_LENGTH)).join("\n");
            return { startLine, endLine, snippet, kind, name };
        });
        const missed = blocks.length === 0 ? hintFor(kind, occurrences, structure) : undefined;
        const hint = structure.note ?? missed;
        if (matches.length > 0) context.observe(file.path, file.hash);
        return success({
            matches,
            totalMatches: blocks.length,
            ...(blocks.length > LIMIT ? { truncated: true } : {}),
            ...(hint === undefined ? {} : { hint }),
        });
    },
    summary: (data) => counted(data.totalMatches, "block"),
});

/** Without a grammar, blocks are whatever is between braces. */
function blocksIn(structure: FileStructure, text: string): readonly Section[] {
    return structure.language === "text"
        ? readBraces(text, { lineComments: true, type: "block", oneLineHeads: true })
        : structure.sections;
}

function hintFor(kind: string, occurrences: number, { language }: FileStructure): string {
    if (occurrences === 0) return "The text is not in this file; search_text finds where it is.";
    const next = isMarkup(language)
        ? "find_blocks maps selectors, @media rules and embedded style and script."
        : "Use read_around, or another kind.";
    const what = kind === "any" ? "block" : kind;
    return `The text occurs ${counted(occurrences, "time")}, but in no ${what}. ${next}`;
}
