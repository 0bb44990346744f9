import { snapToBoundary } from "../terminal/graphemes.js";
import { stripControls } from "../terminal/safe-text.js";
import { target, type Motion } from "./motions.js";

/** A text being edited. A value: every edit makes a new one. */
export interface EditorState {
    readonly text: string;
    /** Index in `text`, always between two user-perceived characters. */
    readonly cursor: number;
    /** What Ctrl+Y puts back. */
    readonly killed: string;
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
    | {
          readonly type: "replace";
          readonly from: number;
          readonly to: number;
          readonly text: string;
      }
    /** Another text, the cursor at its end. */
    | { readonly type: "set"; readonly text: string };

export const EMPTY: EditorState = { text: "", cursor: 0, killed: "" };

/** The state after an action. Pure; never fails. */
export function edit(state: EditorState, action: EditorAction): EditorState {
    switch (action.type) {
        case "insert":
            return replace(state, state.cursor, state.cursor, stripControls(action.text));
        case "move":
            return { ...state, cursor: target(state.text, state.cursor, action.to) };
        case "delete":
            return remove(state, action.to).state;
        case "kill": {
            const { state: rest, removed } = remove(state, action.to);
            return removed === "" ? state : { ...rest, killed: removed };
        }
        case "yank":
            return replace(state, state.cursor, state.cursor, state.killed);
        case "replace":
            return replace(state, action.from, action.to, stripControls(action.text));
        case "set": {
            const text = stripControls(action.text);
            return { ...state, text, cursor: text.length };
        }
        default:
            return action satisfies never;
    }
}

function replace(state: EditorState, from: number, to: number, text: string): EditorState {
    const whole = state.text.slice(0, from) + text + state.text.slice(to);
    // What was apart may now be one character: an accent inserted after its letter.
    return { ...state, text: whole, cursor: snapToBoundary(whole, from + text.length) };
}

function remove(state: EditorState, to: Motion): { state: EditorState; removed: string } {
    let place = target(state.text, state.cursor, to);
    // Ctrl+K at the end of a line joins it with the next, Ctrl+U at its start with the one above.
    if (place === state.cursor && to === "line-end") place = target(state.text, place, "right");
    if (place === state.cursor && to === "line-start") place = target(state.text, place, "left");
    const [from, end] = [Math.min(place, state.cursor), Math.max(place, state.cursor)];
    return { state: replace(state, from, end, ""), removed: state.text.slice(from, end) };
}
