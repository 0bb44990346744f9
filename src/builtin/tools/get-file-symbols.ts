import * as Type from "typebox";
import { counted } from "../../base/format.js";
import { isMarkup } from "../../code/languages.js";
import { symbolsOf } from "../../code/symbols.js";
import { readOnlyTool } from "./read-only-tool.js";
import { digestOfList } from "./reading/digest-of-list.js";
import { readStructured } from "./reading/source-parts.js";
import { success } from "./results.js";
import { readOf } from "./equivalents.js";

const LIMIT = 1000;

export const getFileSymbols = readOnlyTool({
    name: "get_file_symbols",
    description:
        "List a source file's functions, classes, methods, types with line, endLine, signature.",
    kind: "read",
    input: { path: Type.String() },
    equivalents: readOf,
    intent: (input) => `Extracting symbols from ${input.path}`,
    async execute({ path }, context) {
        const { structure } = await readStructured(context, path);
        const symbols = symbolsOf(structure.sections);
        const hint = structure.note ?? hintFor(structure.language, symbols.length);
        return success({
            language: structure.language,
            symbols: symbols.slice(0, LIMIT),
            ...(symbols.length > LIMIT ? { truncated: true, total: symbols.length } : {}),
            ...(hint === undefined ? {} : { hint }),
        });
    },
    summary: (data) => counted(data.total ?? data.symbols.length, "symbol"),
    digest: (data) => digestOfList(data, "symbols"),
});

/** Suggests an alternative if symbols are of little use. */
function hintFor(language: string, count: number): string | undefined {
    if (isMarkup(language)) {
        return "Use find_blocks or get_file_outline for the sections and rules of this file.";
    }
    return count === 0 && (language === "text" || language === "markdown")
        ? "Symbols are not supported for this kind of file; use get_file_outline or search_text."
        : undefined;
}
