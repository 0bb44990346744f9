import { nextBoundary, previousBoundary, snapToBoundary } from "../terminal/graphemes.js";
import { stripControls } from "../../base/safe-text.js";
import { lineEnd, lineStart, target, type Motion } from "./motions.js";

type CharacterRange = readonly [from: number, to: number];

interface EditorChange {
    readonly from: number;
    readonly removed: string;
    readonly inserted: string;
    readonly cursor: number;
    readonly pasted: readonly CharacterRange[];
}

/** An editable text. Immutable: each edit returns a new state. */
export interface EditorState {
    readonly text: string;
    /** Index in `text`, always on a grapheme boundary. */
    readonly cursor: number;
    /** The kill buffer, inserted by Ctrl+Y. */
    readonly killed: string;
    readonly isKilledPasted: boolean;
    /** The last action was a kill; the next one extends the kill buffer. */
    readonly isKilling: boolean;
    /** Undo history, oldest first. */
    readonly changes: readonly EditorChange[];
    readonly pasted: readonly CharacterRange[];
}

interface ReplaceAction {
    readonly type: "replace";
    readonly from: number;
    readonly to: number;
    readonly text: string;
    readonly isPasted?: boolean;
}

export type EditorAction =
    | { readonly type: "insert"; readonly text: string; readonly isPasted?: boolean }
    | { readonly type: "move"; readonly to: Motion }
    /** Moves to the nearest boundary. */
    | { readonly type: "place"; readonly cursor: number }
    | { readonly type: "delete"; readonly to: Motion }
    /** Deletes and keeps the text for `yank`. */
    | { readonly type: "kill"; readonly to: Motion }
    /** Keeps a range for `yank`, and with `cut` deletes it. */
    | { readonly type: "cut" | "copy"; readonly from: number; readonly to: number }
    | { readonly type: "yank" }
    /** Swaps the characters around the cursor, or the last two at the end of a line. */
    | { readonly type: "transpose" }
    | { readonly type: "recase"; readonly to: "upper" | "lower" | "capital" }
    | { readonly type: "undo" }
    | ReplaceAction
    | { readonly type: "set"; readonly text: string }
    | { readonly type: "start" };

export const EMPTY: EditorState = {
    text: "",
    cursor: 0,
    killed: "",
    isKilledPasted: false,
    isKilling: false,
    changes: [],
    pasted: [],
};

const MAX_CHANGES = 200;

/** The state after an action. Pure; never throws. */
export function edit(before: EditorState, action: EditorAction): EditorState {
    const state = { ...before, isKilling: false };
    const { text, cursor } = state;
    switch (action.type) {
        case "insert":
            return replace(state, { ...action, from: cursor, to: cursor });
        case "move":
            return { ...state, cursor: target(text, cursor, action.to) };
        case "place":
            return { ...state, cursor: snapToBoundary(text, action.cursor) };
        case "delete":
            return replace(state, { ...span(state, action.to), text: "" });
        case "kill":
            return kill(before, action.to);
        case "cut":
            return { ...replace(state, { ...action, text: "" }), ...kept(state, action) };
        case "copy":
            return { ...state, ...kept(state, action) };
        case "yank":
            return replace(state, {
                ...{ from: cursor, to: cursor },
                ...{ text: state.killed, isPasted: state.isKilledPasted },
            });
        case "transpose":
            return transpose(state);
        case "recase": {
            const end = target(text, cursor, "word-right");
            const changed = recased(text.slice(cursor, end), action.to);
            return replace(state, { from: cursor, to: end, text: changed });
        }
        case "undo":
            return undo(state);
        case "replace":
            return replace(state, action);
        case "set":
            return replace(state, { from: 0, to: text.length, text: action.text });
        case "start":
            return { ...EMPTY, killed: state.killed, isKilledPasted: state.isKilledPasted };
        default:
            return action satisfies never;
    }
}

/** The text in which mentions count: `@` in pasted text is masked. */
export function typedText({ text, pasted }: EditorState): string {
    let typed = "";
    let end = 0;
    for (const [from, to] of pasted) {
        typed += text.slice(end, from) + text.slice(from, to).replaceAll("@", "\ufffd");
        end = to;
    }
    return typed + text.slice(end);
}

function replace(
    state: EditorState,
    { from, to, text: given, isPasted = false }: Omit<ReplaceAction, "type">
): EditorState {
    const inserted = stripControls(given);
    const removed = state.text.slice(from, to);
    const whole = state.text.slice(0, from) + inserted + state.text.slice(to);
    // Graphemes may have merged, such as a letter with an accent inserted after it.
    const cursor = snapToBoundary(whole, from + inserted.length);
    if (removed === inserted) return { ...state, cursor };
    const change = { from, removed, inserted, cursor: state.cursor, pasted: state.pasted };
    const changes = withChange(state.changes, change);
    const end = from + inserted.length;
    const spans: readonly CharacterRange[] = [
        ...state.pasted.map(([start, last]): CharacterRange => [start, Math.min(last, from)]),
        ...(isPasted ? [[from, end] as const] : []),
        ...state.pasted.map(([start, last]): CharacterRange => [
            Math.max(start, to) - to + end,
            last - to + end,
        ]),
    ];
    const pasted = spans.filter(([start, last]) => start < last);
    return { ...state, text: whole, cursor, changes, pasted };
}

/** Merges typed characters, so that undo removes a whole word. */
function withChange(
    changes: readonly EditorChange[],
    change: EditorChange
): readonly EditorChange[] {
    const last = changes.at(-1);
    const continues =
        last?.removed === "" &&
        last.from + last.inserted.length === change.from &&
        change.removed === "" &&
        /^\S$/u.test(change.inserted);
    if (!continues) return [...changes.slice(1 - MAX_CHANGES), change];
    return changes.with(-1, { ...last, inserted: last.inserted + change.inserted });
}

function undo(state: EditorState): EditorState {
    const last = state.changes.at(-1);
    if (!last) return state;
    const { from, removed, inserted, cursor, pasted } = last;
    const text = state.text.slice(0, from) + removed + state.text.slice(from + inserted.length);
    return { ...state, text, cursor, pasted, changes: state.changes.slice(0, -1) };
}

function span(
    { text, cursor }: EditorState,
    to: Motion
): { readonly from: number; readonly to: number } {
    let index = target(text, cursor, to);
    // Ctrl+K at the end of a line joins it with the next, Ctrl+U at the start with the previous
    // one.
    if (index === cursor && to === "line-end") index = target(text, index, "right");
    if (index === cursor && to === "line-start") index = target(text, index, "left");
    return { from: Math.min(index, cursor), to: Math.max(index, cursor) };
}

// Consecutive kills build one text, in document order.
function kill(state: EditorState, to: Motion): EditorState {
    const { from, to: end } = span(state, to);
    const removed = state.text.slice(from, end);
    if (removed === "") return state;
    const earlier = state.isKilling ? state.killed : "";
    const killed = from < state.cursor ? removed + earlier : earlier + removed;
    const { isKilledPasted: isPasted } = kept(state, { from, to: end });
    return {
        ...replace(state, { from, to: end, text: "" }),
        killed,
        isKilledPasted: isPasted || (state.isKilling && state.isKilledPasted),
        isKilling: true,
    };
}

function kept({ text, pasted }: EditorState, { from, to }: { from: number; to: number }) {
    const isKilledPasted = pasted.some(([start, last]) => start < to && from < last);
    return { killed: text.slice(from, to), isKilledPasted };
}

function transpose(state: EditorState): EditorState {
    const { text, cursor } = state;
    const start = lineStart(text, cursor);
    const end = cursor === lineEnd(text, cursor) ? cursor : nextBoundary(text, cursor);
    const middle = previousBoundary(text, end);
    if (cursor === start || middle <= start) return state;
    const from = previousBoundary(text, middle);
    const swapped = text.slice(middle, end) + text.slice(from, middle);
    return replace(state, { from, to: end, text: swapped });
}

function recased(text: string, to: string): string {
    if (to === "upper") return text.toUpperCase();
    const lower = text.toLowerCase();
    return to === "lower" ? lower : lower.replace(/\p{L}/u, (letter) => letter.toUpperCase());
}
