export type Key =
    /** Characters to insert unchanged. */
    | { readonly type: "text"; readonly text: string; readonly sequence: string }
    /** May have several lines. */
    | { readonly type: "paste"; readonly text: string; readonly sequence: string }
    /** A key that inserts nothing, such as `enter`, `left`, or `c` with `ctrl`. */
    | {
          readonly type: "press";
          readonly name: string;
          readonly ctrl: boolean;
          readonly alt: boolean;
          readonly shift: boolean;
          /** What a terminal without the newer protocols sends. */
          readonly sequence: string;
      };

export function press(
    name: string,
    { ctrl = false, alt = false, shift = false },
    sequence: string
): Key {
    return { type: "press", name, ctrl, alt, shift, sequence };
}

/** `ctrl-c`, `alt-enter`, `left`; `undefined` for text. */
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

/** The first keypad code of the kitty protocol; below, the equivalent keys in code order. */
const KEYPAD_START = 57399;
const KEYPAD: readonly (readonly [number: number, letter: string])[] = [
    ...[..."0123456789./*-+\r=,"].map((text) => [text.charCodeAt(0), "u"] as const),
    ...[..."DCAB"].map((letter) => [1, letter] as const),
    [5, "~"],
    [6, "~"],
    [1, "H"],
    [1, "F"],
    [2, "~"],
    [3, "~"],
];
/** Keys without a character: modifiers, locks, volume. */
const [FIRST_PRIVATE, LAST_PRIVATE] = [0xe000, 0xf8ff];
/** Shift, Alt, Ctrl; Super, Hyper, Meta. The higher bits, Caps and Num Lock, are ignored. */
const [KNOWN_MODIFIERS, OTHER_MODIFIERS] = [0b111, 0b111000];

/**
 * The sequence that a plain keyboard would send for a kitty key: without locks, and with keypad
 * keys as their equivalents. `undefined` for a key without meaning here, which Node's decoder would
 * treat as text.
 */
export function plainSequence(sequence: string): string | undefined {
    const parts = /^\u001b\[(\d+)(?::\d*)*(?:;(\d*)(?::\d+)?)?([A-Za-z~])$/.exec(sequence);
    if (!parts) return sequence;
    const bits = Number(parts[2] || 1) - 1;
    if ((bits & OTHER_MODIFIERS) !== 0) return undefined;
    const code = Number(parts[1]);
    const twin = KEYPAD[code - KEYPAD_START];
    if (!twin && code >= FIRST_PRIVATE && code <= LAST_PRIVATE) return undefined;
    const [number, letter] = twin ?? [code, parts[3] ?? ""];
    const modifiers = (bits & KNOWN_MODIFIERS) + 1;
    return `\u001b[${number}${modifiers > 1 ? `;${modifiers}` : ""}${letter}`;
}

/**
 * Decodes kitty keys (https://sw.kovidgoyal.net/kitty/keyboard-protocol/) and xterm's
 * modifyOtherKeys.
 */
export function decodeModified(sequence: string): Key | undefined {
    const kitty = /^\u001b\[(\d+)(?::\d*)*(?:;(\d+)(?::\d+)?)?u$/.exec(sequence);
    const xterm = /^\u001b\[27;(\d+);(\d+)~$/.exec(sequence);
    const code = Number(kitty?.[1] ?? xterm?.[2] ?? NaN);
    if (!Number.isInteger(code) || code > 0x10ffff) return undefined;
    const bits = Number(kitty?.[2] ?? xterm?.[1] ?? 1) - 1;
    const [shift, alt, ctrl] = [(bits & 1) !== 0, (bits & 2) !== 0, (bits & 4) !== 0];
    const known = NAMES[code];
    const modifiers = { ctrl, alt, shift };
    const start = alt ? "\u001b" : "";
    if (known) return press(known.name, modifiers, start + known.sequence);
    const character = String.fromCodePoint(code);
    if (!ctrl && !alt) {
        const text = shift ? character.toUpperCase() : character;
        return { type: "text", text, sequence: text };
    }
    const plain = ctrl && code < 128 ? String.fromCharCode(code & 0x1f) : character;
    return press(character.toLowerCase(), modifiers, start + plain);
}
