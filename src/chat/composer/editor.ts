import { nextBoundary, previousBoundary, snapToBoundary } from "../terminal/graphemes.js";
import { stripControls } from "../terminal/safe-text.js";
import { lineEnd, lineStart, target, type Motion } from "./motions.js";

/** How a word is to be written. */
export type Case = "upper" | "lower" | "capital";

/** What one change took away and what it put there. */
interface Change {
    readonly from: number;
    readonly removed: string;
    readonly inserted: string;
    /** Where the cursor was before. */
    readonly cursor: number;
}

/** A text being edited. A value: every edit makes a new one. */
export interface EditorState {
    readonly text: string;
    /** Index in `text`, always between two user-perceived characters. */
    readonly cursor: number;
    /** What Ctrl+Y puts back. */
    readonly killed: string;
    /** The last action killed something: the next one adds to it. */
    readonly isKilling: boolean;
    /** What can be taken back, oldest first. */
    readonly changes: readonly Change[];
}

/** What can be done to a text. */
export type EditorAction =
    | { readonly type: "insert"; readonly text: string }
    | { readonly type: "move"; readonly to: Motion }
    /** Removes what lies between the cursor and the place. */
    | { readonly type: "delete"; readonly to: Motion }
    /** The same, and keeps it for `yank`. */
    | { readonly type: "kill"; readonly to: Motion }
    | { readonly type: "yank" }
    /** Swaps the two characters around the cursor, at the end of a line the last two. */
    | { readonly type: "transpose" }
    /** Changes the case of what is left of the word, or of the next one. */
    | { readonly type: "recase"; readonly to: Case }
    | { readonly type: "undo" }
    | {
          readonly type: "replace";
          readonly from: number;
          readonly to: number;
          readonly text: string;
      }
    /** Another text, the cursor at its end. */
    | { readonly type: "set"; readonly text: string }
    /** An empty text, of which nothing can be taken back. */
    | { readonly type: "start" };

export const EMPTY: EditorState = {
    text: "",
    cursor: 0,
    killed: "",
    isKilling: false,
    changes: [],
};

const MOST_CHANGES = 200;

/** The state after an action. Pure; never fails. */
export function edit(before: EditorState, action: EditorAction): EditorState {
    const state = { ...before, isKilling: false };
    const { text, cursor } = state;
    switch (action.type) {
        case "insert":
            return replace(state, cursor, cursor, stripControls(action.text));
        case "move":
            return { ...state, cursor: target(text, cursor, action.to) };
        case "delete":
            return replace(state, ...span(state, action.to), "");
        case "kill":
            return kill(before, action.to);
        case "yank":
            return replace(state, cursor, cursor, state.killed);
        case "transpose":
            return transpose(state);
        case "recase": {
            const end = target(text, cursor, "word-right");
            return replace(state, cursor, end, recased(text.slice(cursor, end), action.to));
        }
        case "undo":
            return undo(state);
        case "replace":
            return replace(state, action.from, action.to, stripControls(action.text));
        case "set":
            return replace(state, 0, text.length, stripControls(action.text));
        case "start":
            return { ...EMPTY, killed: state.killed };
        default:
            return action satisfies never;
    }
}

function replace(state: EditorState, from: number, to: number, inserted: string): EditorState {
    const removed = state.text.slice(from, to);
    const whole = state.text.slice(0, from) + inserted + state.text.slice(to);
    // What was apart may now be one character: an accent inserted after its letter.
    const cursor = snapToBoundary(whole, from + inserted.length);
    if (removed === inserted) return { ...state, cursor };
    const change = { from, removed, inserted, cursor: state.cursor };
    return { ...state, text: whole, cursor, changes: withChange(state.changes, change) };
}

/** A word that is typed is taken back as a whole. */
function withChange(changes: readonly Change[], change: Change): readonly Change[] {
    const last = changes.at(-1);
    const continues =
        last?.removed === "" &&
        last.from + last.inserted.length === change.from &&
        change.removed === "" &&
        /^\S$/u.test(change.inserted);
    if (!continues) return [...changes.slice(1 - MOST_CHANGES), change];
    return changes.with(-1, { ...last, inserted: last.inserted + change.inserted });
}

function undo(state: EditorState): EditorState {
    const last = state.changes.at(-1);
    if (!last) return state;
    const { from, removed, inserted, cursor } = last;
    const text = state.text.slice(0, from) + removed + state.text.slice(from + inserted.length);
    return { ...state, text, cursor, changes: state.changes.slice(0, -1) };
}

function span({ text, cursor }: EditorState, to: Motion): readonly [from: number, to: number] {
    let place = target(text, cursor, to);
    // Ctrl+K at the end of a line joins it with the next, Ctrl+U at its start with the one above.
    if (place === cursor && to === "line-end") place = target(text, place, "right");
    if (place === cursor && to === "line-start") place = target(text, place, "left");
    return [Math.min(place, cursor), Math.max(place, cursor)];
}

// Kills in a row become one text, each put at the side on which it stood.
function kill(state: EditorState, to: Motion): EditorState {
    const [from, end] = span(state, to);
    const removed = state.text.slice(from, end);
    if (removed === "") return state;
    const kept = state.isKilling ? state.killed : "";
    const killed = from < state.cursor ? removed + kept : kept + removed;
    return { ...replace(state, from, end, ""), killed, isKilling: true };
}

function transpose(state: EditorState): EditorState {
    const { text, cursor } = state;
    const start = lineStart(text, cursor);
    const end = cursor === lineEnd(text, cursor) ? cursor : nextBoundary(text, cursor);
    const middle = previousBoundary(text, end);
    if (cursor === start || middle <= start) return state;
    const from = previousBoundary(text, middle);
    return replace(state, from, end, text.slice(middle, end) + text.slice(from, middle));
}

/** The text in upper or lower case, or with a capital for its first letter only. */
function recased(text: string, to: Case): string {
    if (to === "upper") return text.toUpperCase();
    const lower = text.toLowerCase();
    return to === "lower" ? lower : lower.replace(/\p{L}/u, (letter) => letter.toUpperCase());
}
