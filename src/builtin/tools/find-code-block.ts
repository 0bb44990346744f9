import * as Type from "typebox";
import type { PlainTool } from "../../plugin/index.js";
import { readBraces } from "../../code/braces.js";
import { enclosingBlocks, type EnclosingBlock } from "../../code/enclosing.js";
import { isMarkup } from "../../code/languages.js";
import type { FileStructure, Section } from "../../code/section.js";
import { readStructure } from "../../code/structure.js";
import { shortenLine } from "../../code/text/line-window.js";
import { readTextFile } from "../../code/text/text-file.js";
import { counted } from "../../base/format.js";
import { quoted } from "./reading/wording.js";
import { success } from "./results.js";

const LIMIT = 50;
const SNIPPET_LINES = 5;
const SNIPPET_LINE_LENGTH = 300;

const inputSchema = Type.Object(
    {
        path: Type.String(),
        query: Type.String({ minLength: 1, description: "Exact text" }),
        kind: Type.Optional(
            Type.Enum(["function", "class", "method", "block", "any"], { default: "any" })
        ),
    },
    { additionalProperties: false }
);

export type FindCodeBlockInput = Type.Static<typeof inputSchema>;

/** A block that contains the text. */
export interface CodeBlockMatch {
    readonly startLine: number;
    readonly endLine: number;
    /** The first lines of the block. */
    readonly snippet: string;
    readonly kind: EnclosingBlock["kind"];
    readonly name: string;
}

/** The blocks around a text, inner ones first. */
export interface FindCodeBlockData {
    readonly matches: readonly CodeBlockMatch[];
    readonly totalMatches: number;
    readonly truncated?: true;
    readonly hint?: string;
}

/** Where no grammar is known, blocks are what is between braces. */
function blocksIn(structure: FileStructure, text: string): readonly Section[] {
    return structure.language === "text"
        ? readBraces(text, { lineComments: true, type: "block", oneLineHeads: true })
        : structure.sections;
}

function hintFor(input: FindCodeBlockInput, occurrences: number, structure: FileStructure): string {
    if (occurrences === 0) return "The text is not in this file; search_text finds where it is.";
    const what = input.kind === undefined || input.kind === "any" ? "block" : input.kind;
    const next = isMarkup(structure.language)
        ? "find_blocks maps selectors, @media rules and embedded style and script."
        : "Use read_around, or another kind.";
    return `The text occurs ${counted(occurrences, "time")}, but in no ${what}. ${next}`;
}

export const findCodeBlock: PlainTool<FindCodeBlockInput, FindCodeBlockData> = {
    name: "find_code_block",
    description: "Find the innermost functions, classes or blocks of a file that contain a text.",
    approval: "none",
    readOnly: true,
    kind: "search",
    inputSchema,
    intent: (input) => `Finding the block of ${quoted(input.query)} in ${input.path}`,
    summary: (data) => counted(data.totalMatches, "block"),
    async execute(input, context) {
        const file = await readTextFile(context.workspace, input.path);
        const text = file.lines.join("\n");
        const structure = await readStructure(file.path, text, context.signal);
        const { blocks, occurrences } = enclosingBlocks(
            blocksIn(structure, text),
            text,
            input.query.replace(/\r\n/g, "\n"),
            input.kind ?? "any"
        );
        const matches = blocks.slice(0, LIMIT).map(({ section, kind }) => {
            const { startLine, endLine, name } = section;
            const lines = file.lines.slice(startLine - 1, endLine).slice(0, SNIPPET_LINES);
            const snippet = lines.map((line) => shortenLine(line, SNIPPET_LINE_LENGTH)).join("\n");
            return { startLine, endLine, snippet, kind, name };
        });
        const missed = blocks.length === 0 ? hintFor(input, occurrences, structure) : undefined;
        const hint = structure.note ?? missed;
        if (matches.length > 0) context.observe(file.path, file.hash);
        return success({
            matches,
            totalMatches: blocks.length,
            ...(blocks.length > LIMIT ? { truncated: true } : {}),
            ...(hint === undefined ? {} : { hint }),
        });
    },
};
