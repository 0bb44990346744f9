import { stripControls } from "../../base/safe-text.js";

// No grapheme is longer in practice. The bound keeps editing a line of 1 MB fast.
const WINDOW = 256;

/** Cache of measured widths: measuring is slow, and a text has few distinct characters. */
const known = new Map<string, number>();
const MAX_KNOWN = 5000;

let segmenter: Intl.Segmenter | undefined;
let measure: (text: string) => number = estimateWidth;

/** Loads exact widths. Until then wide characters are estimated, so that start-up does not wait. */
export async function loadWidths(): Promise<void> {
    const { default: stringWidth } = await import("string-width");
    measure = (grapheme) => known.get(grapheme) ?? remember(grapheme, stringWidth(grapheme));
}

function remember(grapheme: string, width: number): number {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(grapheme, width);
    return width;
}

function estimateWidth(text: string): number {
    return (text.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1;
}

export function graphemes(text: string): string[] {
    if (SINGLE.test(text)) return text.split("");
    segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
    return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** Columns of a grapheme. A tab is drawn as four spaces. */
export function graphemeWidth(grapheme: string): number {
    if (grapheme === "\t") return 4;
    return isPlain(grapheme) ? 1 : measure(grapheme);
}

// None of these combines with the next character, so no segmenter is needed, which takes 20 times as long.
const SINGLE =
    /^[ -~\u00a1-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u21ff\u2500-\u257f\u3001-\u3011\u3041-\u3096\u30a1-\u30fc\u3400-\u4dbf\u4e00-\u9fff]*$/;

/** Columns of a text without line breaks. Colours take none. */
export function textWidth(text: string): number {
    const bare = text.includes("\u001b") ? stripControls(text) : text;
    if (isPlain(bare)) return bare.length;
    return graphemes(bare).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

/** The start of the grapheme that ends at `index`. */
export function previousBoundary(text: string, index: number): number {
    const start = Math.max(0, index - WINDOW);
    const last = graphemes(text.slice(start, index)).at(-1);
    return index - (last?.length ?? 0);
}

/** The end of the grapheme that starts at `index`. */
export function nextBoundary(text: string, index: number): number {
    return index + (graphemes(text.slice(index, index + WINDOW))[0]?.length ?? 0);
}

/** The first grapheme boundary at or after `index`. */
export function snapToBoundary(text: string, index: number): number {
    if (index === 0) return 0;
    const start = Math.max(text.lastIndexOf("\n", index - 1) + 1, index - WINDOW);
    let at = start;
    for (const grapheme of graphemes(text.slice(start, index + WINDOW))) {
        if (at >= index) break;
        at += grapheme.length;
    }
    return at;
}

/** Printable ASCII only: each character is one grapheme and one column. */
export function isPlain(text: string): boolean {
    return /^[ -~]*$/.test(text);
}
