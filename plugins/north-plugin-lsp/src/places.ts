import path from "node:path";
import { fileURLToPath } from "node:url";
import { NorthError } from "north-cli/plugin";
import type { Position } from "vscode-languageserver-protocol/node";

/** A place in a file as models and people name it. */
export interface Place {
    /** Relative to the repository, or absolute outside. */
    readonly path: string;
    /** 1-based. */
    readonly line: number;
}

/** A file's path relative to the root; `undefined` if it is outside, or no file. */
export function pathOf(uri: string, root: string): string | undefined {
    try {
        const inside = path.relative(root, fileURLToPath(uri));
        const isOutside = inside === "" || inside === ".." || inside.startsWith("../");
        return isOutside || path.isAbsolute(inside) ? undefined : inside;
    } catch {
        return undefined;
    }
}

/** As `pathOf`; a file outside keeps its absolute path, and anything else its URI. */
export function nameOf(uri: string, root: string): string {
    const inside = pathOf(uri, root);
    if (inside !== undefined) return inside;
    try {
        return fileURLToPath(uri);
    } catch {
        return uri;
    }
}

/** Lines as the protocol counts them. */
export function linesOf(text: string): readonly string[] {
    return text.split(/\r\n|\n|\r/);
}

/**
 * Where a symbol is named in a line: the first time as a whole word. Throws `no-such-symbol`, naming
 * lines that have it.
 */
export function findSymbol(text: string, file: string, line: number, symbol: string): Position {
    const lines = linesOf(text);
    const column = columnOf(lines[line - 1] ?? "", symbol);
    if (column !== undefined) return { line: line - 1, character: column };
    const others = lines.flatMap((each, index) =>
        columnOf(each, symbol) === undefined ? [] : [index + 1]
    );
    const where = others
        .sort((one, other) => Math.abs(one - line) - Math.abs(other - line))
        .slice(0, 5);
    throw new NorthError(
        "no-such-symbol",
        `Line ${line} of ${file} does not name ${symbol}.`,
        where.length > 0 ? [`These lines do: ${where.join(", ")}.`] : []
    );
}

function columnOf(line: string, symbol: string): number | undefined {
    const isPart = (character = "") => /[\p{L}\p{N}_$]/u.test(character);
    for (let at = line.indexOf(symbol); at >= 0; at = line.indexOf(symbol, at + 1)) {
        if (!isPart(line[at - 1]) && !isPart(line[at + symbol.length])) return at;
    }
    return undefined;
}
