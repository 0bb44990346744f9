import type { CodeSymbol } from "../../code/symbols.js";
import { prefixWithin } from "../../code/text/line-window.js";
import { decodeText } from "../../code/text/text-file.js";
import { counted, firstRows } from "../../base/format.js";
import { fenced } from "../../core/files/fence.js";

const MAX_LINES = 30;
const MAX_BYTES = 2 * 1024;
const MAX_SYMBOLS = 15;

/** The first lines of a file and its outline, and a summary for the user. */
export async function previewOf(
    name: string,
    bytes: Uint8Array,
    size: number,
    signal: AbortSignal
) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) {
        const text = `A binary file of ${size} bytes; its content is not shown.`;
        return { text, summary: "binary, only named" };
    }
    const { lines, note } = decoded;
    if (lines.length === 0) return { text: "The file is empty.", summary: "empty" };
    const shown = shownLines(lines);
    const hidden = lines.length - shown.length;
    const isWhole = bytes.length === size;
    const more = hidden > 0 ? [`... [${hidden}${isWhole ? "" : " or more"} more lines]`] : [];
    const { language, symbols } = await outlineOf(name, lines, signal);
    const sections = [
        fenced([...shown, ...more].join("\n"), language),
        ...(note === undefined ? [] : [note]),
        ...outlineLines(name, symbols),
    ];
    const count = isWhole ? counted(lines.length, "line") : `more than ${lines.length} lines`;
    return {
        text: sections.join("\n\n"),
        summary: hidden > 0 ? `the first ${shown.length} of ${count}` : count,
    };
}

function shownLines(lines: readonly string[]): string[] {
    const shown: string[] = [];
    let room = MAX_BYTES;
    for (const line of lines.slice(0, MAX_LINES)) {
        const bytes = Buffer.byteLength(line) + 1;
        if (bytes > room && shown.length > 0) break;
        shown.push(bytes > room ? `${prefixWithin(line, room)} [line cut]` : line);
        room -= bytes;
        if (room <= 0) break;
    }
    return shown;
}

async function outlineOf(name: string, lines: readonly string[], signal: AbortSignal) {
    const { readStructure } = await import("../../code/structure.js");
    const { symbolsOf } = await import("../../code/symbols.js");
    const { languageOf } = await import("../../code/languages.js");
    const text = lines.join("\n");
    const language = languageOf(name, text)?.id ?? "";
    try {
        const { sections } = await readStructure(name, text, signal);
        return { language, symbols: symbolsOf(sections) };
    } catch {
        // Too large or too deep to parse: show no outline.
        signal.throwIfAborted();
        return { language, symbols: [] as readonly CodeSymbol[] };
    }
}

function outlineLines(name: string, symbols: readonly CodeSymbol[]): string[] {
    if (symbols.length === 0) return [];
    const base = name.slice(name.lastIndexOf("/") + 1);
    const all = symbols.map(({ type, name: symbol, line }) => `- ${type} ${symbol} (line ${line})`);
    const listed = firstRows(all, MAX_SYMBOLS, (more) => `- ... [${more} more symbols]`);
    return [[`**Outline (${base}):**`, ...listed].join("\n")];
}
