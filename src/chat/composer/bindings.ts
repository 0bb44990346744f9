import { chord, type Key } from "../terminal/keys.js";
import type { EditorAction } from "./editor.js";

export type ComposerCommand =
    | "send"
    | "complete"
    | "up"
    | "down"
    | "interrupt"
    | "escape"
    | "leave-or-delete"
    | "clear-screen"
    | "toggle-mode"
    | "search-history"
    | "open-editor"
    | "paste-image";

const KEYS: readonly (readonly [meaning: ComposerCommand | EditorAction, keys: string])[] = [
    ["send", "enter"],
    [{ type: "insert", text: "\n" }, "newline ctrl-j alt-enter shift-enter ctrl-enter"],
    ["complete", "tab"],
    ["toggle-mode", "shift-tab"],
    ["up", "up ctrl-p"],
    ["down", "down ctrl-n"],
    ["interrupt", "ctrl-c"],
    ["escape", "escape"],
    ["leave-or-delete", "ctrl-d"],
    ["clear-screen", "ctrl-l"],
    ["search-history", "ctrl-r"],
    ["open-editor", "ctrl-g"],
    ["paste-image", "ctrl-v"],
    [{ type: "move", to: "left" }, "left ctrl-b"],
    [{ type: "move", to: "right" }, "right ctrl-f"],
    [{ type: "move", to: "word-left" }, "ctrl-left alt-left alt-b"],
    [{ type: "move", to: "word-right" }, "ctrl-right alt-right alt-f"],
    [{ type: "move", to: "line-start" }, "home ctrl-a"],
    [{ type: "move", to: "line-end" }, "end ctrl-e"],
    [{ type: "move", to: "text-start" }, "ctrl-home"],
    [{ type: "move", to: "text-end" }, "ctrl-end"],
    [{ type: "delete", to: "left" }, "backspace shift-backspace ctrl-h"],
    [{ type: "delete", to: "right" }, "delete"],
    [{ type: "kill", to: "blank-left" }, "ctrl-w"],
    [{ type: "kill", to: "word-left" }, "alt-backspace ctrl-backspace"],
    [{ type: "kill", to: "word-right" }, "alt-d ctrl-delete"],
    [{ type: "kill", to: "line-end" }, "ctrl-k"],
    [{ type: "kill", to: "line-start" }, "ctrl-u"],
    [{ type: "yank" }, "ctrl-y"],
    [{ type: "transpose" }, "ctrl-t"],
    [{ type: "recase", to: "upper" }, "alt-u"],
    [{ type: "recase", to: "lower" }, "alt-l"],
    [{ type: "recase", to: "capital" }, "alt-c"],
    // Most terminals send one control character; the kitty protocol reports the keys pressed.
    [{ type: "undo" }, "ctrl-_ ctrl-/ ctrl-shift-- ctrl-shift-_"],
];

const MEANINGS = new Map(
    KEYS.flatMap(([meaning, keys]) => keys.split(" ").map((key) => [key, meaning]))
);

export function meaningOf(key: Key): ComposerCommand | EditorAction | undefined {
    if (key.type === "press") return MEANINGS.get(chord(key) ?? "");
    return { type: "insert", text: key.text, isPasted: key.type === "paste" };
}
