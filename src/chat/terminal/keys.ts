/** Something the user did on the keyboard. */
export type Key =
    /** Characters to insert as they are. */
    | { readonly type: "text"; readonly text: string; readonly sequence: string }
    /** Any number of lines at once. */
    | { readonly type: "paste"; readonly text: string; readonly sequence: string }
    /** A key that inserts nothing: `enter`, `left`, `c` with `ctrl`. */
    | {
          readonly type: "press";
          readonly name: string;
          readonly ctrl: boolean;
          readonly alt: boolean;
          readonly shift: boolean;
          /** What a terminal without the newer protocols sends for it. */
          readonly sequence: string;
      };

/** `ctrl-c`, `alt-enter`, `left`; `undefined` for what inserts something. */
export function chord(key: Key): string | undefined {
    if (key.type !== "press") return undefined;
    const modifiers = [key.ctrl && "ctrl", key.alt && "alt", key.shift && "shift"];
    return [...modifiers.filter(Boolean), key.name].join("-");
}

const NAMES: Readonly<Record<number, { readonly name: string; readonly sequence: string }>> = {
    9: { name: "tab", sequence: "\t" },
    13: { name: "enter", sequence: "\r" },
    27: { name: "escape", sequence: "\u001b" },
    127: { name: "backspace", sequence: "\u007f" },
};

/**
 * Keys as the kitty protocol (`ESC[13;2u`) and xterm's modifyOtherKeys (`ESC[27;2;13~`) report
 * them. https://sw.kovidgoyal.net/kitty/keyboard-protocol/
 */
export function decodeModified(sequence: string): Key | undefined {
    const kitty = /^\u001b\[(\d+)(?::\d*)*(?:;(\d+)(?::(\d+))?)?u$/.exec(sequence);

    const xterm = /^\u001b\[27;(\d+);(\d+)~$/.exec(sequence);
    const code = Number(kitty?.[1] ?? xterm?.[2] ?? NaN);
    if (!Number.isInteger(code) || code > 0x10ffff) return undefined;
    const bits = Number(kitty?.[2] ?? xterm?.[1] ?? 1) - 1;
    const [shift, alt, ctrl] = [(bits & 1) !== 0, (bits & 2) !== 0, (bits & 4) !== 0];
    const known = NAMES[code];
    if (known) {
        return {
            type: "press",
            name: known.name,
            ctrl,
            alt,
            shift,
            sequence: (alt ? "\u001b" : "") + known.sequence,
        };
    }
    const character = String.fromCodePoint(code);
    if (!ctrl && !alt) {
        const text = shift ? character.toUpperCase() : character;
        return { type: "text", text, sequence: text };
    }
    const plain = ctrl && code < 128 ? String.fromCharCode(code & 0x1f) : character;
    const name = character.toLowerCase();
    return { type: "press", name, ctrl, alt, shift, sequence: (alt ? "\u001b" : "") + plain };
}
