import * as Type from "typebox";
import type { PlainTool } from "../../plugin/index.js";
import { isMarkup } from "../../code/languages.js";
import { readStructure } from "../../code/structure.js";
import { symbolsOf, type CodeSymbol } from "../../code/symbols.js";
import { readTextFile } from "../../code/text/text-file.js";
import { counted } from "../../base/format.js";
import { digestOfList } from "./reading/digest-of-list.js";
import { success } from "./results.js";

const LIMIT = 1000;

const inputSchema = Type.Object({ path: Type.String() }, { additionalProperties: false });

export type GetFileSymbolsInput = Type.Static<typeof inputSchema>;

/** The definitions of a file. */
export interface GetFileSymbolsData {
    readonly language: string;
    readonly symbols: readonly CodeSymbol[];
    /** The first ones of `total` only. */
    readonly truncated?: true;
    readonly total?: number;
    /** What to use instead where symbols say little. */
    readonly hint?: string;
}

function hintFor(language: string, count: number): string | undefined {
    if (isMarkup(language)) {
        return "Use find_blocks or get_file_outline for the sections and rules of this file.";
    }

    if (count > 0) return undefined;
    return language === "text" || language === "markdown"
        ? "Symbols are not known for this kind of file; use get_file_outline or search_text."
        : undefined;
}

export const getFileSymbols: PlainTool<GetFileSymbolsInput, GetFileSymbolsData> = {
    name: "get_file_symbols",
    description:
        "List a source file's functions, classes, methods, types with line, endLine, signature.",
    approval: "none",
    readOnly: true,
    kind: "read",
    inputSchema,
    intent: (input) => `Extracting symbols from ${input.path}`,
    summary: (data) => counted(data.total ?? data.symbols.length, "symbol"),
    digest: (data) => digestOfList(data, "symbols"),
    async execute(input, context) {
        const file = await readTextFile(context.workspace, input.path);
        const text = file.lines.join("\n");
        const structure = await readStructure(file.path, text, context.signal);
        const symbols = symbolsOf(structure.sections);
        const hint = structure.note ?? hintFor(structure.language, symbols.length);
        return success({
            language: structure.language,
            symbols: symbols.slice(0, LIMIT),
            ...(symbols.length > LIMIT ? { truncated: true, total: symbols.length } : {}),
            ...(hint === undefined ? {} : { hint }),
        });
    },
};
