import type { Theme } from "../../terminal/theme.js";
import { loadCodeSpans, type CodeSpan } from "../code-spans.js";

/** A line of code in colours. */
export interface ColouredLine {
    readonly text: string;
    /** What began here, a comment or a text, goes on in the next line. */
    readonly isOpen: boolean;
}

/** Colours one line of code; `above` is the code before it that it is a continuation of. */
export type CodeColours = (line: string, above: string, language: string) => ColouredLine;

// What stands further above hardly matters, and colouring must not cost more with every line.
const LOOK_BACK = 3000;
const LONGEST_LINE = 1000;

/** Loads the colours of common languages; a language that is not known stays as it is. */
export async function loadCodeColours(theme: Theme): Promise<CodeColours> {
    const spansOf = await loadCodeSpans();
    return (line, above, language) => {
        const context = above.slice(-LOOK_BACK);
        const spans =
            line.length > LONGEST_LINE ? undefined : spansOf(`${context}${line}\n`, language);
        return spans ? styleSpans(spans, context.length, theme) : { text: line, isOpen: false };
    };
}

/** The line that begins at `from`. */
function styleSpans(spans: readonly CodeSpan[], from: number, theme: Theme): ColouredLine {
    let position = 0;
    let line = "";
    for (const { text, kind } of spans) {
        const shown = text.slice(Math.max(0, from - position)).replace("\n", "");
        position += text.length;
        if (shown !== "") line += kind ? theme[kind](shown) : shown;
    }
    return { text: line, isOpen: spans.at(-1)?.isNested ?? false };
}
