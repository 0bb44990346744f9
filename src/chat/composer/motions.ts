import { graphemes, nextBoundary, previousBoundary } from "../terminal/graphemes.js";

export type Motion =
    | "left"
    | "right"
    | "word-left"
    | "word-right"
    | "blank-left"
    | "line-start"
    | "line-end"
    | "line-up"
    | "line-down"
    | "text-start"
    | "text-end";

/** Where `motion` leads from `index`; line feeds count as one character. */
export function target(text: string, index: number, motion: Motion): number {
    switch (motion) {
        case "left":
            return index === 0 ? 0 : previousBoundary(text, index);
        case "right":
            return index === text.length ? index : nextBoundary(text, index);
        case "word-left":
            return wordLeft(text, index, /[\p{L}\p{N}_]/u);
        case "blank-left":
            return wordLeft(text, index, /\S/u);
        case "word-right":
            return wordRight(text, index);
        case "line-start":
            return lineStart(text, index);
        case "line-end":
            return lineEnd(text, index);
        case "line-up":
            return lineUp(text, index);
        case "line-down":
            return lineDown(text, index);
        case "text-start":
            return 0;
        case "text-end":
            return text.length;
        default:
            return motion satisfies never;
    }
}

export function hasLine(text: string, index: number, side: "above" | "below"): boolean {
    return side === "above" ? lineStart(text, index) > 0 : lineEnd(text, index) < text.length;
}

export function lineStart(text: string, index: number): number {
    return index === 0 ? 0 : text.lastIndexOf("\n", index - 1) + 1;
}

export function lineEnd(text: string, index: number): number {
    const end = text.indexOf("\n", index);
    return end < 0 ? text.length : end;
}

function wordLeft(text: string, index: number, part: RegExp): number {
    let at = index;
    while (at > 0 && !part.test(before(text, at))) at = previousBoundary(text, at);
    while (at > 0 && part.test(before(text, at))) at = previousBoundary(text, at);
    return at;
}

function before(text: string, index: number): string {
    return text.slice(previousBoundary(text, index), index);
}

function wordRight(text: string, index: number): number {
    const part = /[\p{L}\p{N}_]/u;
    const after = (at: number) => text.slice(at, nextBoundary(text, at));
    let at = index;
    while (at < text.length && !part.test(after(at))) at = nextBoundary(text, at);
    while (at < text.length && part.test(after(at))) at = nextBoundary(text, at);
    return at;
}

function lineUp(text: string, index: number): number {
    const start = lineStart(text, index);
    if (start === 0) return index;
    const above = lineStart(text, start - 1);
    return atColumn(text.slice(above, start - 1), text.slice(start, index)) + above;
}

function lineDown(text: string, index: number): number {
    const end = lineEnd(text, index);
    if (end === text.length) return index;
    const below = end + 1;
    const prefix = text.slice(lineStart(text, index), index);
    return atColumn(text.slice(below, lineEnd(text, below)), prefix) + below;
}

/** The index in `line` after as many characters as `prefix` has. */
function atColumn(line: string, prefix: string): number {
    const column = graphemes(prefix).length;
    return graphemes(line).slice(0, column).join("").length;
}
