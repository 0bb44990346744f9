// Text from models, tools, files and commands may contain terminal sequences that move the cursor,
// rewrite what was shown or set the clipboard. Everything printed goes through one of these.

const SEQUENCES = new RegExp(
    [
        "\\u001b\\[[0-?]*[ -/]*[@-~]", // CSI: colours, cursor, erasing
        "\\u001b[\\]PX^_][^\\u0007\\u001b\\n]*(?:\\u0007|\\u001b\\\\)", // OSC, DCS, SOS, PM, APC
        "\\u009b[0-?]*[ -/]*[@-~]", // CSI as one character
        "\\u001b[ -/]*[0-Z\\\\^-~]", // two-character sequences
    ].join("|"),
    "g"
);

// Bidi controls reorder text on screen ("Trojan source").
const UNSAFE =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Removes terminal sequences and control characters, except line feeds and tabs. */
export function stripControls(text: string): string {
    return text.replace(SEQUENCES, "").replace(/\r\n?/g, "\n").replace(UNSAFE, "");
}

/**
 * What a terminal would show of a program's output: no colours, and of a line that was written over
 * (progress after `\r`, an overstruck letter) its last state. Other control characters stay.
 */
export function terminalText(text: string): string {
    if (!/[\r\b\u001b\u009b]/.test(text)) return text;
    return text.split("\n").map(lastState).join("\n");
}

/** Go to the start of a line and erase it. */
const ERASURES = ["\r\u001b[K", "\r\u001b[0K", "\r\u001b[2K", "\u001b[2K\r"];

function lastState(whole: string): string {
    const starts = ERASURES.map((erasure) => {
        const at = whole.lastIndexOf(erasure);
        return at < 0 ? 0 : at + erasure.length;
    });
    const line = whole.slice(Math.max(...starts)).replace(SEQUENCES, "");
    if (!/[\r\b]/.test(line)) return line;
    const cells: string[] = [];
    let column = 0;
    for (const character of line) {
        if (character === "\r") column = 0;
        else if (character === "\b") column = Math.max(0, column - 1);
        else cells[column++] = character;
    }
    return cells.join("");
}

/**
 * Control and format characters, ignorable characters, and blanks other than a space. The last ones
 * show nothing although their properties do not say so: the empty Braille cell, the Khitan filler,
 * the null notehead and two Egyptian blanks.
 */
const HIDDEN =
    /(?![\n\t ])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{1d159}\u{13441}\u{13442}]/gu;
const JOINER = "\u200d";
const EMOJI_STYLE = "\ufe0f";

/**
 * Escapes everything invisible (`^[`, `\u{202e}`): for text to be approved, where stripping would
 * hide what will really happen.
 */
export function showControls(text: string): string {
    return text.replace(HIDDEN, (character, offset: number, whole: string) => {
        if (character === JOINER && joinsEmoji(whole, offset)) return character;
        if (character === EMOJI_STYLE && followsEmoji(whole, offset)) return character;
        const code = character.codePointAt(0) ?? 0;
        if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
        if (code === 0x7f) return "^?";
        return `\\u{${code.toString(16)}}`;
    });
}

// Not `\p{Emoji}`: it contains the digits, `#` and `*`, beside which nothing would show. With the flag
// `u`, Node 26.12 does not find a character of two code units that a class and `$` name.
const EMOJI = String.raw`[\p{Extended_Pictographic}\p{Emoji_Presentation}]`;
const ENDS_WITH_EMOJI = new RegExp(`${EMOJI}$`, "v");
const STARTS_WITH_EMOJI = new RegExp(`^${EMOJI}`, "v");
const ENDS_WITH_STYLED_EMOJI = new RegExp(`${EMOJI}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]{0,4}$`, "v");

/** Also within a keycap: a digit, this character, U+20E3. */
function followsEmoji(whole: string, offset: number): boolean {
    const isKeycap = whole[offset + 1] === "\u20e3" && /[0-9#*]/.test(whole[offset - 1] ?? "");
    return isKeycap || ENDS_WITH_EMOJI.test(whole.slice(Math.max(0, offset - 2), offset));
}

function joinsEmoji(whole: string, offset: number): boolean {
    return (
        ENDS_WITH_STYLED_EMOJI.test(whole.slice(Math.max(0, offset - 6), offset)) &&
        STARTS_WITH_EMOJI.test(whole.slice(offset + 1, offset + 3))
    );
}

/** One line of safe text: line breaks become spaces, invisible characters are escaped. */
export function safeLine(text: string): string {
    const lines = showControls(stripControls(text))
        .split("\n")
        .map((line) => line.trim());
    return lines.filter((line) => line !== "").join(" ");
}

/** One line of third-party text (a name, a title), with everything invisible escaped. */
export function visibleLine(text: string): string {
    return showControls(text.replaceAll("\n", "\u2028")).replaceAll("\\u{2028}", "⏎").trim();
}
