import { NorthError } from "../../base/north-error.js";
import { writePoint, writeSet, type Engine } from "./character-set.js";
import type { RegexToken } from "./regex-token.js";
import { regexTokens } from "./regex-tokens.js";

/** One regular expression, written so that both engines find the same. */
export interface TranslatedRegex {
    /** `undefined` where ripgrep has nothing that means the same. */
    readonly ripgrep: string | undefined;
    readonly javascript: string;
}

// These contain code points that no file can hold, or unassigned ones, of which each engine has
// its own idea.
const UNSUPPORTED_PROPERTIES = new Set(["C", "Cn", "Cs", "Any"]);

/**
 * Rewrites a valid expression in RE2 syntax for one line at a time: classes are those of ASCII as
 * in RE2, `.` and negated sets match no part of a line's end, `$` also matches before the CR of
 * CR LF, `^` also after a byte order mark. Groups capture nothing, since only the place of a match
 * counts; for the same reason the flags s, m and U make no difference.
 */
export function translateRegex(pattern: string): TranslatedRegex {
    const tokens = regexTokens(pattern);
    // Without Unicode ripgrep's \B also holds between the bytes of one character.
    const isForBoth = !tokens.some((token) => token.kind === "boundary" && token.negated);
    return {
        ripgrep: isForBoth ? tokens.map((token) => write(token, "ripgrep")).join("") : undefined,
        javascript: tokens.map((token) => write(token, "javascript")).join(""),
    };
}

function write(token: RegexToken, engine: Engine): string {
    switch (token.kind) {
        case "character":
            return writeCharacter(token.point, token.index);
        case "set": {
            const { properties, complements } = token.set;
            for (const name of [...properties, ...complements.flatMap((set) => set.properties)]) {
                requireSupported(name, token.index);
            }

            return writeSet(token.set, engine) ?? writeCharacter(0x0a, token.index);
        }
        case "line-start":
            return "(?:^\\x{feff}?)";
        case "line-end":
            return "(?:\\r?$)";
        case "boundary": {
            const boundary = token.negated ? "\\B" : "\\b";
            return engine === "ripgrep" ? `(?-u:${boundary})` : boundary;
        }
        case "group":
            return writeGroup(token.isOpen, token.ignoreCase);
        case "close":
            return ")";
        case "or":
            return "|";
        case "repeat":
            return token.text;
    }
    return token satisfies never;
}

function writeGroup(isOpen: boolean, ignoreCase: boolean | undefined): string {
    const flag = ignoreCase === undefined ? "" : ignoreCase ? "i" : "-i";
    if (isOpen) return `(?${flag}:`;

    return flag === "" ? "" : `(?${flag})`;
}

function writeCharacter(point: number, index: number): string {
    if (point === 0x0a) {
        throw invalidPattern(
            "a search looks at one line at a time, and this is a line break",
            index
        );
    }
    return writePoint(point);
}

function requireSupported(property: string, index: number): void {
    if (UNSUPPORTED_PROPERTIES.has(property)) {
        throw invalidPattern(`\\p{${property}} is not supported; name the characters`, index);
    }
}

/** The failure for a pattern, saying where; `index` counts UTF-16 units from 0. */
export function invalidPattern(reason: string, index?: number): NorthError {
    const place = index === undefined ? "" : ` at character ${index + 1}`;
    return new NorthError("invalid-pattern", `The pattern is invalid${place}: ${reason}.`, [
        "Correct it (RE2 syntax, without look-around and back-references), or search for plain text.",
    ]);
}
