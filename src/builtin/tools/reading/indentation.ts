import type { LineRange } from "../../../code/text/line-range.js";

// Works by indentation for any conventionally formatted language, without parsing.

/** Imports are near the top; further down, similar lines are something else. */
const IMPORT_SEARCH_LINES = 200;

const IMPORT = new RegExp(
    [
        String.raw`^import\b`,
        String.raw`^from\s+\S+\s+import\b`,
        String.raw`^export\s.*\bfrom\s*["']`,
        String.raw`^(const|let|var)\s.*=\s*(await\s+import|require)\s*\(`,
        String.raw`^#\s*(include|import)\b`,
        String.raw`^(global\s+)?using\s[^(]*;`,
        String.raw`^(pub\s+)?use\s.*[;{]`,
        String.raw`^(extern\s+crate|mod)\s.*;`,
        String.raw`^(require|require_once|require_relative|include|include_once)\b`,
        String.raw`^package\s`,
    ].join("|")
);
const BLANK_OR_COMMENT = /^\s*($|\/\/|\/?\*|#|--|["']use )/;
const CONTROL =
    /^[\s})\]]*(if|else|elif|elsif|unless|for|foreach|while|until|loop|do|switch|case|default|match|when|try|catch|except|finally|rescue|ensure|begin|with)\b/;
const CLOSER = /^\s*([)\]}]|end\b|fi\b|done\b|esac\b)/;
const LEADING = /^\s*(@|#\[|\/\/|\/?\*|#)/;

export function importLines(lines: readonly string[]): LineRange | undefined {
    const first = lines.slice(0, IMPORT_SEARCH_LINES).findIndex((line) => IMPORT.test(line));
    if (first === -1) return undefined;
    let last = first;
    for (let index = first; index < lines.length; index++) {
        const line = lines[index] ?? "";
        if (IMPORT.test(line)) {
            last = index;
            const end = endOfStatement(lines, index);
            if (end === undefined) break;
            last = index = end;
        } else if (!BLANK_OR_COMMENT.test(line)) {
            break;
        }
    }
    return { start: first + 1, end: last + 1 };
}

/** An import may span several lines inside brackets. */
function endOfStatement(lines: readonly string[], start: number): number | undefined {
    let depth = 0;
    for (let index = start; index < lines.length; index++) {
        const line = lines[index] ?? "";
        depth += (line.match(/[([{]/g)?.length ?? 0) - (line.match(/[)\]}]/g)?.length ?? 0);
        if (depth <= 0) return index;
    }
    return undefined;
}

/** Returns the function, class or other block around a range; the range itself if there is none. */
export function blockAround(lines: readonly string[], range: LineRange): LineRange {
    const header = headerAbove(lines, range);
    if (header === undefined) return range;
    const start = withLeadingLines(lines, header);
    return {
        start: start + 1,
        end: Math.max(range.end, endBelow(lines, header, range.end - 1) + 1),
    };
}

/**
 * Returns the index of the line that opens the block: the nearest less indented line that is not
 * control flow.
 */
function headerAbove(lines: readonly string[], range: LineRange): number | undefined {
    const inside = lines.slice(range.start - 1, range.end).filter((line) => line.trim() !== "");
    let limit = Math.min(...inside.map(indentation));
    const first = lines[range.start - 1] ?? "";
    if (opensBlock(lines, range.start - 1) && indentation(first) === limit) return range.start - 1;
    for (let index = range.start - 2; index >= 0; index--) {
        const line = lines[index] ?? "";
        if (line.trim() === "" || indentation(line) >= limit) continue;
        const closes = CLOSER.test(line);
        // The head of a statement that ends in `) {` is further up, at the same indentation.
        limit = closes ? indentation(line) + 1 : indentation(line);
        if (!closes && !CONTROL.test(line) && !LEADING.test(line)) return index;
    }
    return undefined;
}

/** Whether a more deeply indented line follows, and the line is not control flow. */
function opensBlock(lines: readonly string[], index: number): boolean {
    const line = lines[index] ?? "";
    if (line.trim() === "" || CONTROL.test(line) || CLOSER.test(line) || LEADING.test(line)) {
        return false;
    }

    const next = lines.slice(index + 1).find((candidate) => candidate.trim() !== "");
    return next !== undefined && indentation(next) > indentation(line);
}

function endBelow(lines: readonly string[], header: number, from: number): number {
    const level = indentation(lines[header] ?? "");
    let last = Math.max(from, header);
    for (let index = Math.max(from, header) + 1; index < lines.length; index++) {
        const line = lines[index] ?? "";
        if (line.trim() === "") continue;
        if (indentation(line) > level) {
            last = index;
            continue;
        }
        if (!CLOSER.test(line) || indentation(line) < level) break;
        last = index;
        // `) {` and `} else {` continue; a plain closer ends the block.
        if (!/[{:(]\s*$/.test(line)) break;
    }
    return last;
}

/**
 * Returns the index of a block's first line, given its head: decorators, attributes and comments
 * directly above belong to it.
 */
export function withLeadingLines(lines: readonly string[], header: number): number {
    const level = indentation(lines[header] ?? "");
    let start = header;
    while (start > 0) {
        const above = lines[start - 1] ?? "";
        if (!LEADING.test(above) || indentation(above) < level) break;
        start--;
    }
    return start;
}

function indentation(line: string): number {
    let width = 0;
    for (const character of line) {
        if (character === "\t") width += 4 - (width % 4);
        else if (character === " ") width++;
        else break;
    }
    return width;
}
