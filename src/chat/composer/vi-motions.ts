import { nextBoundary, previousBoundary } from "../terminal/graphemes.js";
import { lineEnd, lineStart } from "./motions.js";
import { ownValue } from "../../base/fields.js";

type Step = (text: string, index: number) => number;

/** One step of each motion that needs no other character. */
const STEPS: Readonly<Record<string, Step>> = {
    h: (text, index) => Math.max(previousBoundary(text, index), lineStart(text, index)),
    l: (text, index) => Math.min(nextBoundary(text, index), lineEnd(text, index)),
    0: lineStart,
    "^": firstCharacter,
    $: lineEnd,
    ...{ w: nextWord(smallWord), b: previousWord(smallWord), e: wordEnd(smallWord) },
    ...{ W: nextWord(bigWord), B: previousWord(bigWord), E: wordEnd(bigWord) },
};

/** Where a motion leads; `undefined` for a name of none, and for a character that is not there. */
export function reach(text: string, cursor: number, name: string, count = 1): number | undefined {
    if (/^[fFtT]/.test(name)) return find(text, cursor, name, count);
    const step = ownValue(STEPS, name);
    if (step === undefined) return undefined;
    let index = cursor;
    for (let time = 0; time < count; time += 1) index = step(text, index);
    return index;
}

/** What `d`, `c` and `y` take with a motion. */
export function spanOf(
    text: string,
    cursor: number,
    { operator, name, count }: { operator: string; name: string; count: number }
): readonly [from: number, to: number] | undefined {
    if (name === operator) return linesFrom(text, cursor, count, operator === "d");
    const kindOf = name === "w" ? smallWord : bigWord;
    if (operator === "c" && /^w$/i.test(name) && kindOf(characterAt(text, cursor)) !== "") {
        // As in vi, the blanks behind a changed word stay.
        const last = reach(text, cursor, name, count - 1) ?? cursor;
        return [cursor, runEnd(text, last, kindOf)];
    }
    const end = reach(text, cursor, name, count);
    if (end === undefined) return undefined;
    if (end < cursor) return [end, cursor];
    // These take the character they end on with them.
    return [cursor, /^[eEft]/.test(name) ? nextBoundary(text, end) : end];
}

function firstCharacter(text: string, index: number): number {
    const start = lineStart(text, index);
    const line = text.slice(start, lineEnd(text, index));
    return start + line.length - line.trimStart().length;
}

/** With `isWhole`, also the line break that would be left. */
function linesFrom(
    text: string,
    cursor: number,
    count: number,
    isWhole: boolean
): readonly [from: number, to: number] {
    const from = lineStart(text, cursor);
    let to = lineEnd(text, cursor);
    for (let line = 1; line < count && to < text.length; line += 1) to = lineEnd(text, to + 1);
    if (!isWhole) return [from, to];
    return to < text.length ? [from, to + 1] : [Math.max(from - 1, 0), to];
}

/** `f` and `t` look to the right, `F` and `T` to the left; `t` and `T` stop one short. */
function find(text: string, cursor: number, name: string, count: number): number | undefined {
    const [how = "", wanted] = [name.slice(0, 1), name.slice(1)];
    const [start, end] = [lineStart(text, cursor), lineEnd(text, cursor)];
    const isForward = how === "f" || how === "t";
    let index = cursor;
    for (let time = 0; time < count; time += 1) {
        index = isForward
            ? text.slice(0, end).indexOf(wanted, nextBoundary(text, index))
            : text.slice(0, index).lastIndexOf(wanted);
        if (index < start) return undefined;
    }
    if (how === "t") return previousBoundary(text, index);
    return how === "T" ? nextBoundary(text, index) : index;
}

type KindOf = (character: string) => string;

/** `""` for blanks. */
function smallWord(character: string): string {
    if (/^\s*$/u.test(character)) return "";
    return /[\p{L}\p{N}_]/u.test(character) ? "word" : "other";
}

function bigWord(character: string): string {
    return smallWord(character) && "word";
}

function characterAt(text: string, index: number): string {
    return text.slice(index, nextBoundary(text, index));
}

function runEnd(text: string, index: number, kindOf: KindOf): number {
    const kind = kindOf(characterAt(text, index));
    let at = index;
    while (at < text.length && kindOf(characterAt(text, at)) === kind) at = nextBoundary(text, at);
    return at;
}

function pastBlanks(text: string, index: number): number {
    return smallWord(characterAt(text, index)) === "" ? runEnd(text, index, smallWord) : index;
}

function nextWord(kindOf: KindOf): Step {
    return (text, index) => pastBlanks(text, runEnd(text, index, kindOf));
}

function wordEnd(kindOf: KindOf): Step {
    return (text, index) => {
        const start = pastBlanks(text, nextBoundary(text, index));
        return previousBoundary(text, runEnd(text, start, kindOf));
    };
}

function previousWord(kindOf: KindOf): Step {
    return (text, index) => {
        const before = (at: number) => kindOf(text.slice(previousBoundary(text, at), at));
        let at = index;
        while (at > 0 && before(at) === "") at = previousBoundary(text, at);
        const kind = before(at);
        while (at > 0 && before(at) === kind) at = previousBoundary(text, at);
        return at;
    };
}
