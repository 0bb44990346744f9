import { NorthError } from "../../base/north-error.js";
import type { SearchOptions } from "../../plugin/workspace.js";

const ESCAPE_CLASS_OR_GROUP = /\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]?|[()]/g;

/** Rejects with `invalid-pattern`, naming the position. */
export async function checkPattern(
    query: string,
    { isRegex }: { readonly isRegex: boolean }
): Promise<void> {
    if (query === "") throw invalidPattern("it is empty");
    const nul = query.indexOf("\0");
    if (nul >= 0) throw invalidPattern("text files have no NUL in them", nul);
    const lineBreak = isRegex ? lineBreakIn(query) : query.indexOf("\n");
    if (lineBreak >= 0) throw invalidPattern("a search looks at one line at a time", lineBreak);
    if (isRegex) await checkRegex(query);
}

async function checkRegex(query: string): Promise<void> {
    const { RE2JS, RE2JSException, RE2JSSyntaxException } = await import("re2js");
    try {
        RE2JS.compile(query);
    } catch (error) {
        if (error instanceof RE2JSSyntaxException) {
            throw invalidPattern(error.getDescription(), indexOfPiece(query, error.getPattern()));
        }
        throw error instanceof RE2JSException ? invalidPattern(error.message) : error;
    }
}

/** The engine names the wrong piece, or the whole query for an unbalanced parenthesis. */
function indexOfPiece(query: string, piece: string | null): number {
    if (piece === null) return query.length - 1;
    return (piece === query ? unbalanced(query) : undefined) ?? Math.max(query.indexOf(piece), 0);
}

function unbalanced(query: string): number | undefined {
    const open: number[] = [];
    for (const { 0: token, index } of query.matchAll(ESCAPE_CLASS_OR_GROUP)) {
        if (token === "(") open.push(index);
        else if (token === ")" && open.pop() === undefined) return index;
    }
    return open.at(-1);
}

function lineBreakIn(query: string): number {
    for (const { 0: token, index } of query.matchAll(ESCAPE_CLASS_OR_GROUP)) {
        if (token === "\\n") return index;
    }
    return query.indexOf("\n");
}

/** `index` is 0-based, in UTF-16 units. */
function invalidPattern(reason: string, index?: number): NorthError {
    const path = index === undefined ? "" : ` at character ${index + 1}`;
    return new NorthError("invalid-pattern", `The pattern is invalid${path}: ${reason}.`, [
        "Correct it (RE2 syntax, without look-around and back-references), or search for plain text.",
    ]);
}

export function requireSensible({ path, file, lineRange }: SearchOptions): void {
    if (path !== undefined && file !== undefined) {
        throw new NorthError("invalid-input", "A search is either below a path or in a file.", [
            "Leave out path or file.",
        ]);
    }
    if (lineRange !== undefined && (file === undefined || lineRange.start > lineRange.end)) {
        throw new NorthError(
            "invalid-input",
            "A range of lines needs a file, and its start must not be after its end.",
            ["Name the file, or leave out the range."]
        );
    }
}
