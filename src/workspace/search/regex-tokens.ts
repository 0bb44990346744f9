import type { CharacterSet } from "./character-set.js";
import { readSet, readEscape } from "./regex-classes.js";
import type { Reading, RegexToken } from "./regex-token.js";

const REPETITION = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;
const GROUP = /\((?:\?P?<[^>]*>|\?([a-zA-Z]*)(?:-([a-zA-Z]*))?([:)]))?/y;
const ANY: CharacterSet = { negated: true, ranges: [], properties: [], complements: [] };

/** Takes a valid expression apart; of an invalid one, whatever can be told. */
export function regexTokens(pattern: string): readonly RegexToken[] {
    const tokens: RegexToken[] = [];
    for (let index = 0; index < pattern.length;) {
        const { end, tokens: found } = readToken(pattern, index);
        tokens.push(...found);
        index = end;
    }
    return tokens;
}

function readToken(pattern: string, index: number): Reading {
    const repetition = matchAt(REPETITION, pattern, index);
    if (repetition !== undefined) {
        const [text] = repetition;
        return { tokens: [{ kind: "repeat", text, index }], end: index + text.length };
    }
    const point = pattern.codePointAt(index) ?? 0;
    const next = index + (point > 0xffff ? 2 : 1);
    switch (String.fromCodePoint(point)) {
        case "\\":
            return readEscape(pattern, index);
        case "[":
            return readSet(pattern, index);
        case "(":
            return readGroup(pattern, index);
        case ")":
            return { tokens: [{ kind: "close", index }], end: next };
        case "|":
            return { tokens: [{ kind: "or", index }], end: next };
        case "^":
            return { tokens: [{ kind: "line-start", index }], end: next };
        case "$":
            return { tokens: [{ kind: "line-end", index }], end: next };
        case ".":
            return { tokens: [{ kind: "set", set: ANY, index }], end: next };
        default:
            return { tokens: [{ kind: "character", point, index }], end: next };
    }
}

function readGroup(pattern: string, index: number): Reading {
    const [text = "(", on = "", off = "", closing] = matchAt(GROUP, pattern, index) ?? [];
    const ignoreCase = on.includes("i") ? true : off.includes("i") ? false : undefined;
    const isOpen = closing !== ")";
    return { tokens: [{ kind: "group", isOpen, ignoreCase, index }], end: index + text.length };
}

function matchAt(regex: RegExp, text: string, index: number): RegExpExecArray | undefined {
    regex.lastIndex = index;
    return regex.exec(text) ?? undefined;
}
