import { graphemes, nextBoundary, previousBoundary } from "../terminal/graphemes.js";

const WORD = /[\p{L}\p{N}_]/u;

const MOTIONS = {
    left: previousBoundary,
    right: nextBoundary,
    "word-left": (text: string, index: number) => wordLeft(text, index, WORD),
    "word-right": wordRight,
    "blank-left": (text: string, index: number) => wordLeft(text, index, /\S/u),
    "line-start": lineStart,
    "line-end": lineEnd,
    "line-up": lineUp,
    "line-down": lineDown,
    "text-start": () => 0,
    "text-end": (text: string) => text.length,
};

export type Motion = keyof typeof MOTIONS;

/** The index that `motion` reaches from `index`. A line feed counts as one character. */
export function target(text: string, index: number, motion: Motion): number {
    return MOTIONS[motion](text, index);
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
    const after = (at: number) => text.slice(at, nextBoundary(text, at));
    let at = index;
    while (at < text.length && !WORD.test(after(at))) at = nextBoundary(text, at);
    while (at < text.length && WORD.test(after(at))) at = nextBoundary(text, at);
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

/** The index in `line` after as many graphemes as `prefix` has. */
function atColumn(line: string, prefix: string): number {
    const column = graphemes(prefix).length;
    return graphemes(line).slice(0, column).join("").length;
}
