import { chord, type Key } from "../terminal/keys.js";
import type { EditorAction } from "./editor.js";

export type ComposerCommand =
    | { readonly type: "edit"; readonly action: EditorAction }
    | {
          readonly type:
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
      };

const edit = (action: EditorAction): ComposerCommand => ({ type: "edit", action });
const NEW_LINE = edit({ type: "insert", text: "\n" });
const UNDO = edit({ type: "undo" });

const BINDINGS: Readonly<Record<string, ComposerCommand>> = {
    enter: { type: "send" },
    newline: NEW_LINE,
    "ctrl-j": NEW_LINE,
    "alt-enter": NEW_LINE,
    "shift-enter": NEW_LINE,
    "ctrl-enter": NEW_LINE,
    tab: { type: "complete" },
    "shift-tab": { type: "toggle-mode" },
    up: { type: "up" },
    "ctrl-p": { type: "up" },
    down: { type: "down" },
    "ctrl-n": { type: "down" },
    "ctrl-c": { type: "interrupt" },
    escape: { type: "escape" },
    "ctrl-d": { type: "leave-or-delete" },
    "ctrl-l": { type: "clear-screen" },
    "ctrl-r": { type: "search-history" },
    "ctrl-g": { type: "open-editor" },
    "ctrl-v": { type: "paste-image" },
    left: edit({ type: "move", to: "left" }),
    "ctrl-b": edit({ type: "move", to: "left" }),
    right: edit({ type: "move", to: "right" }),
    "ctrl-f": edit({ type: "move", to: "right" }),
    "ctrl-left": edit({ type: "move", to: "word-left" }),
    "alt-left": edit({ type: "move", to: "word-left" }),
    "alt-b": edit({ type: "move", to: "word-left" }),
    "ctrl-right": edit({ type: "move", to: "word-right" }),
    "alt-right": edit({ type: "move", to: "word-right" }),
    "alt-f": edit({ type: "move", to: "word-right" }),
    home: edit({ type: "move", to: "line-start" }),
    "ctrl-a": edit({ type: "move", to: "line-start" }),
    end: edit({ type: "move", to: "line-end" }),
    "ctrl-e": edit({ type: "move", to: "line-end" }),
    "ctrl-home": edit({ type: "move", to: "text-start" }),
    "ctrl-end": edit({ type: "move", to: "text-end" }),
    backspace: edit({ type: "delete", to: "left" }),
    "shift-backspace": edit({ type: "delete", to: "left" }),
    "ctrl-h": edit({ type: "delete", to: "left" }),
    delete: edit({ type: "delete", to: "right" }),
    "ctrl-w": edit({ type: "kill", to: "blank-left" }),
    "alt-backspace": edit({ type: "kill", to: "word-left" }),
    "ctrl-backspace": edit({ type: "kill", to: "word-left" }),
    "alt-d": edit({ type: "kill", to: "word-right" }),
    "ctrl-delete": edit({ type: "kill", to: "word-right" }),
    "ctrl-k": edit({ type: "kill", to: "line-end" }),
    "ctrl-u": edit({ type: "kill", to: "line-start" }),
    "ctrl-y": edit({ type: "yank" }),
    "ctrl-t": edit({ type: "transpose" }),
    "alt-u": edit({ type: "recase", to: "upper" }),
    "alt-l": edit({ type: "recase", to: "lower" }),
    "alt-c": edit({ type: "recase", to: "capital" }),
    // One character in most terminals; by the kitty protocol the keys that were pressed.
    "ctrl-_": UNDO,
    "ctrl-/": UNDO,
    "ctrl-shift--": UNDO,
    "ctrl-shift-_": UNDO,
};

export function commandFor(key: Key): ComposerCommand | undefined {
    if (key.type === "paste") return edit({ type: "insert", text: key.text, isPasted: true });
    if (key.type === "text") return edit({ type: "insert", text: key.text });
    return BINDINGS[chord(key) ?? ""];
}
