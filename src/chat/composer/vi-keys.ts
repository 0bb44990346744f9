import { previousBoundary } from "../terminal/graphemes.js";
import type { Key } from "../terminal/keys.js";
import type { ComposerCommand } from "./bindings.js";
import { edit, type EditorAction, type EditorState } from "./editor.js";
import { lineEnd, lineStart } from "./motions.js";
import { reach, spanOf } from "./vi-motions.js";

type Step = EditorAction | ComposerCommand;

const MAX_COUNT = 1_000;
const [COUNT, OPERATOR, NOTHING] = [/^(?:[1-9]\d*)?/, /^[cdy]?/, /^/];
/** Keys that stand for an operator and a motion. */
const SHORT: Readonly<Record<string, string>> = {
    ...{ x: "dl", X: "dh", s: "cl", D: "d$", C: "c$", S: "cc", Y: "yy" },
};
const ELSEWHERE: Readonly<Record<string, ComposerCommand>> = {
    ...{ j: "down", k: "up", "/": "search-history", v: "open-editor" },
};

/**
 * Keys in vi's way, as readline has them (https://tiswww.case.edu/php/chet/readline/readline.html,
 * "Readline vi Mode"). A line begins in insert mode.
 */
export class ViKeys {
    private isInserting = true;
    /** A count, an operator, and whatever else waits for its next key. */
    private pending = "";

    begin(): void {
        this.isInserting = true;
        this.pending = "";
    }

    /** What a key does, in order; `undefined` if it does what it does without vi. */
    take(key: Key, state: EditorState): readonly Step[] | undefined {
        if (key.type === "text" && !this.isInserting) return this.command(key.text, state);
        const name = key.type === "press" ? key.name : "";
        const wasPending = this.pending !== "";
        this.pending = "";
        if (!this.isInserting) {
            if (name === "escape" && wasPending) return [];
            return name === "backspace" ? this.command("h", state) : undefined;
        }
        // On an empty line it cancels, as always.
        if (name !== "escape" || state.text === "") return undefined;
        this.isInserting = false;
        return [place(reach(state.text, state.cursor, "h"))];
    }

    private command(letter: string, state: EditorState): readonly Step[] {
        const typed = this.pending + letter;
        const [first, afterCount] = split(typed, COUNT);
        const [operator, afterOperator] = split(afterCount, OPERATOR);
        const [second, name] = split(afterOperator, operator === "" ? NOTHING : COUNT);
        const isPart = name === "" || /^[fFtTr]$/.test(name);
        this.pending = isPart ? typed : "";
        if (isPart) return [];
        if (operator === "" && Object.hasOwn(ELSEWHERE, name)) return [ELSEWHERE[name] ?? "escape"];
        if (operator === "" && Object.hasOwn(SHORT, name)) {
            return this.command(`${first}${SHORT[name]}`, state);
        }
        const count = Math.min(Number(first || 1) * Number(second || 1), MAX_COUNT);
        const at = { ...state, cursor: onCharacter(state) };
        const actions =
            operator === ""
                ? (this.insertion(name, at) ?? changed(name, count, at))
                : this.operate(operator, name, count, at);
        return this.isInserting
            ? actions
            : [...actions, place(onCharacter(actions.reduce(edit, at)))];
    }

    private insertion(name: string, { text, cursor }: EditorState): EditorAction[] | undefined {
        const places: Readonly<Record<string, number | undefined>> = {
            ...{ i: cursor, a: reach(text, cursor, "l") },
            ...{ I: reach(text, cursor, "0"), A: reach(text, cursor, "$") },
        };
        if (!Object.hasOwn(places, name)) return undefined;
        this.isInserting = true;
        return [place(places[name])];
    }

    private operate(
        operator: string,
        name: string,
        count: number,
        { text, cursor }: EditorState
    ): readonly EditorAction[] {
        const span = spanOf(text, cursor, { operator, name, count });
        if (span === undefined) return [];
        const [from, to] = span;
        this.isInserting = operator === "c";
        return from === to ? [] : [{ type: operator === "y" ? "copy" : "cut", from, to }];
    }
}

function changed(name: string, count: number, state: EditorState): readonly EditorAction[] {
    const { text, cursor, killed, isKilledPasted } = state;
    const right = reach(text, cursor, "l") ?? cursor;
    if (name === "u") return Array.from({ length: count }, () => ({ type: "undo" }));
    if (name === "p" || name === "P") {
        const from = name === "p" ? right : cursor;
        const inserted = killed.repeat(count);
        const end = previousBoundary(inserted, inserted.length);
        const paste = { type: "replace", from, to: from, text: inserted } as const;
        return killed === "" ? [] : [{ ...paste, isPasted: isKilledPasted }, place(from + end)];
    }
    if (name.startsWith("r")) {
        return [{ type: "replace", from: cursor, to: right, text: name.slice(1) }, place(cursor)];
    }
    return [place(reach(text, cursor, name, count) ?? cursor)];
}

function place(cursor = 0): EditorAction {
    return { type: "place", cursor };
}

/** Out of insert mode the cursor is on a character, not behind the last of its line. */
function onCharacter({ text, cursor }: EditorState): number {
    const isBehind = cursor === lineEnd(text, cursor) && cursor > lineStart(text, cursor);
    return isBehind ? previousBoundary(text, cursor) : cursor;
}

/** What a pattern matches at the start, and the rest. */
function split(text: string, start: RegExp): readonly [matched: string, rest: string] {
    const [matched = ""] = start.exec(text) ?? [];
    return [matched, text.slice(matched.length)];
}
