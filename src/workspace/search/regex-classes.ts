import { setOf, type CharacterSet, type Range } from "./character-set.js";
import type { Reading, RegexToken } from "./regex-token.js";

/** A member of a set: one character, or several. */
type Member = { readonly point: number } | { readonly set: CharacterSet };

const DIGITS: readonly Range[] = [[0x30, 0x39]];
const UPPER: readonly Range[] = [[0x41, 0x5a]];
const LOWER: readonly Range[] = [[0x61, 0x7a]];
const UNDERSCORE: Range = [0x5f, 0x5f];
// Without the line feed, and without the carriage return of CR LF: neither is part of a line.
const SPACES: readonly Range[] = [
    [0x09, 0x09],
    [0x0c, 0x0c],
    [0x20, 0x20],
];

const PERL: ReadonlyMap<string, readonly Range[]> = new Map([
    ["d", DIGITS],
    ["w", [...DIGITS, ...UPPER, ...LOWER, UNDERSCORE]],
    ["s", SPACES],
]);

const POSIX: ReadonlyMap<string, readonly Range[]> = new Map([
    ["alnum", [...DIGITS, ...UPPER, ...LOWER]],
    ["alpha", [...UPPER, ...LOWER]],
    ["ascii", [[0x00, 0x7f]]],
    [
        "blank",
        [
            [0x09, 0x09],
            [0x20, 0x20],
        ],
    ],
    [
        "cntrl",
        [
            [0x00, 0x1f],
            [0x7f, 0x7f],
        ],
    ],
    ["digit", DIGITS],
    ["graph", [[0x21, 0x7e]]],
    ["lower", LOWER],
    ["print", [[0x20, 0x7e]]],
    [
        "punct",
        [
            [0x21, 0x2f],
            [0x3a, 0x40],
            [0x5b, 0x60],
            [0x7b, 0x7e],
        ],
    ],
    ["space", [...SPACES, [0x0b, 0x0b]]],
    ["upper", UPPER],
    ["word", [...DIGITS, ...UPPER, ...LOWER, UNDERSCORE]],
    ["xdigit", [...DIGITS, [0x41, 0x46], [0x61, 0x66]]],
]);

const CONTROLS: ReadonlyMap<string, number> = new Map([
    ["a", 0x07],
    ["f", 0x0c],
    ["n", 0x0a],
    ["r", 0x0d],
    ["t", 0x09],
    ["v", 0x0b],
]);

const NUMBER = /\\(?:x\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|([0-7]{1,3}))/y;
const PROPERTY = /\\([pP])(?:\{(\^?)([^}]*)\}|(.))/uy;
const POSIX_NAME = /\[:(\^?)([a-z]+):\]/y;
const QUOTED = /\\Q([\s\S]*?)(?:\\E|$)/y;

/** Reads what begins with a backslash outside of brackets. */
export function readEscape(pattern: string, index: number): Reading {
    QUOTED.lastIndex = index;
    const quoted = QUOTED.exec(pattern);
    if (quoted !== null) {
        const tokens = Array.from(quoted[1] ?? "", (character): RegexToken => {
            return { kind: "character", point: character.codePointAt(0) ?? 0, index };
        });
        return { tokens, end: index + quoted[0].length };
    }
    switch (pattern[index + 1]) {
        case "A":
            return { tokens: [{ kind: "line-start", index }], end: index + 2 };
        case "z":
            return { tokens: [{ kind: "line-end", index }], end: index + 2 };
        case "b":
        case "B": {
            const negated = pattern[index + 1] === "B";
            return { tokens: [{ kind: "boundary", negated, index }], end: index + 2 };
        }
        default: {
            const { member, end } = readMember(pattern, index);
            const token: RegexToken =
                "set" in member
                    ? { kind: "set", set: member.set, index }
                    : { kind: "character", point: member.point, index };
            return { tokens: [token], end };
        }
    }
}

/** Reads a set in brackets. */
export function readSet(pattern: string, start: number): Reading {
    const negated = pattern[start + 1] === "^";
    const ranges: Range[] = [];
    const properties: string[] = [];
    const complements: CharacterSet[] = [];
    let index = start + (negated ? 2 : 1);
    // A bracket right at the beginning is a member.
    for (let isFirst = true; index < pattern.length; isFirst = false) {
        if (pattern[index] === "]" && !isFirst) break;

        const { member, end } = readMember(pattern, index);
        index = end;
        if ("set" in member) {
            if (member.set.negated) {
                complements.push({ ...member.set });
            } else {
                ranges.push(...member.set.ranges);
                properties.push(...member.set.properties);
            }
        } else if (pattern[index] === "-" && !["]", undefined].includes(pattern[index + 1])) {
            const last = readMember(pattern, index + 1);
            index = last.end;
            ranges.push([member.point, "point" in last.member ? last.member.point : member.point]);
        } else {
            ranges.push([member.point, member.point]);
        }
    }
    const set = { negated, ranges, properties, complements };
    return { tokens: [{ kind: "set", set, index: start }], end: index + 1 };
}

function readMember(pattern: string, index: number): { member: Member; end: number } {
    return (
        readPosix(pattern, index) ??
        readProperty(pattern, index) ??
        readNumber(pattern, index) ??
        readSimple(pattern, index)
    );
}

function readPosix(pattern: string, index: number) {
    POSIX_NAME.lastIndex = index;
    const [text = "", negation, name = ""] = POSIX_NAME.exec(pattern) ?? [];
    const ranges = POSIX.get(name);
    return ranges && { member: { set: setOf(ranges, negation === "^") }, end: index + text.length };
}

function readProperty(pattern: string, index: number) {
    PROPERTY.lastIndex = index;
    const found = PROPERTY.exec(pattern);
    if (found === null) return undefined;

    const [text, letter, caret, long, short] = found;
    const negated = (letter === "P") !== (caret === "^");
    const set = { ...setOf([], negated), properties: [long ?? short ?? ""] };
    return { member: { set }, end: index + text.length };
}

function readNumber(pattern: string, index: number) {
    NUMBER.lastIndex = index;
    const found = NUMBER.exec(pattern);
    if (found === null) return undefined;

    const [text, braced, plain, octal] = found;
    const point = octal === undefined ? parseInt(braced ?? plain ?? "", 16) : parseInt(octal, 8);
    return { member: { point }, end: index + text.length };
}

function readSimple(pattern: string, index: number): { member: Member; end: number } {
    const isEscaped = pattern[index] === "\\" && index + 1 < pattern.length;
    const at = isEscaped ? index + 1 : index;
    const point = pattern.codePointAt(at) ?? 0;
    const end = at + (point > 0xffff ? 2 : 1);
    if (!isEscaped) return { member: { point }, end };

    const letter = String.fromCodePoint(point);
    const perl = PERL.get(letter.toLowerCase());
    if (perl !== undefined) {
        return { member: { set: setOf(perl, letter !== letter.toLowerCase()) }, end };
    }

    return { member: { point: CONTROLS.get(letter) ?? point }, end };
}
