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
 * Control and format characters, ignorable characters, characters for private use or none, and blanks
 * other than a space. The last ones show nothing although their properties do not say so: the empty
 * Braille cell, the Khitan filler, the null notehead and two Egyptian blanks.
 */
const HIDDEN =
    /(?![\n\t ])[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Zs}\p{Cs}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{1d159}\u{13441}\u{13442}]/gu;
const JOINER = "\u200d";
const EMOJI_STYLE = "\ufe0f";

/**
 * Escapes everything invisible (`^[`, `\u{202e}`), and what looks like another character: for text to
 * be approved, where stripping would hide what will really happen.
 */
export function showControls(text: string): string {
    const shown = text.replace(HIDDEN, (character, offset: number, whole: string) => {
        if (character === JOINER && joinsEmoji(whole, offset)) return character;
        if (character === EMOJI_STYLE && followsEmoji(whole, offset)) return character;
        const code = character.codePointAt(0) ?? 0;
        if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
        return code === 0x7f ? "^?" : escaped(character);
    });
    return showTwins(shown.replace(MARKS, showMarks));
}

function escaped(text: string): string {
    return [...text].map((each) => `\\u{${each.codePointAt(0)?.toString(16)}}`).join("");
}

/** Vowels and final consonants of decomposed Hangul are drawn as marks are. */
const MARKS = /(^|[^\p{M}\u1161-\u11ff])([\p{M}\u1161-\u11ff]+)/gmu;
/** Tibetan stacks six; a pile of marks covers the lines around it. */
const MAX_MARKS = 8;

/** Marks are drawn on what is before them, as on the sign of a diff, and may make it another letter's twin. */
function showMarks(all: string, base: string, marks: string): string {
    const isLoose = /^[\s+-]?$/.test(base);
    const isPlain = !isLoose && marks.length <= MAX_MARKS && all.normalize("NFC") === all;
    return isPlain ? all : base + escaped(marks);
}

/** Letters of Cyrillic, Greek, Armenian, numerals and mathematics that look like Latin ones. */
const TWIN =
    /[\u0410\u0412\u0415\u041a\u041c-\u041e\u0420-\u0422\u0425\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0405\u0406\u0408\u0455\u0456\u0458\u0474\u0475\u04ae\u04af\u04ba\u04bb\u04c0\u04cf\u0501\u050c\u051a-\u051d\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03f2\u03f3\u0555\u0570\u0578\u057d\u0585\u212a\u212b\u2160-\u217f\u{1d400}-\u{1d7ff}]/gu;
const WORD = /[\p{L}\p{N}_]+/gu;
/** A letter that no Latin word has, however it is drawn. */
const UNLIKE_LATIN = new RegExp(
    `(?!${TWIN.source})[\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Armenian}]`,
    "u"
);

/**
 * In a word that reads as Latin, letters that are not are escaped; also in one without Latin
 * letters, unless its line is in their script.
 */
function showTwins(text: string): string {
    if (text.search(TWIN) < 0) return text;
    return text.replace(/.+/g, (line) => {
        const isForeign = UNLIKE_LATIN.test(line);
        return line.replace(WORD, (word) => {
            const isRead =
                !UNLIKE_LATIN.test(word) && (!isForeign || /\p{Script=Latin}/u.test(word));
            return isRead ? word.replace(TWIN, escaped) : word;
        });
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

/** JSON that a terminal prints as it is: what may be invisible or control it is escaped. */
export function safeJson(value: unknown, indent?: number): string {
    const code = (character: string) => character.charCodeAt(0).toString(16).padStart(4, "0");
    return JSON.stringify(value, null, indent).replace(UNSAFE, (each) => `\\u${code(each)}`);
}

/** What a file or pipe gets byte for byte, for one of these or for a terminal. */
export function exactUnlessTerminal(text: string, { isTTY = false }: { isTTY?: boolean }): string {
    return isTTY ? showControls(text) : text;
}

/** A path in a title, where blanks at its ends would not show. */
export function visibleName(name: string): string {
    return visibleLine(name.replace(/^ +|(?<=\S) +$/g, (blanks) => "␣".repeat(blanks.length)));
}

/** One line of third-party text (a name, a title), with everything invisible escaped. */
export function visibleLine(text: string): string {
    return showControls(text.replaceAll("\n", "\u2028")).replaceAll("\\u{2028}", "⏎").trim();
}
