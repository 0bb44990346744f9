import type { Theme } from "../terminal/theme.js";

export type CodeKind = "keyword" | "literal" | "string" | "comment" | "name";

export interface CodeSpan {
    readonly text: string;
    /** Absent if it has no colour. */
    readonly kind?: CodeKind;
    /** Part of a larger token, such as a comment, which may continue. */
    readonly isNested: boolean;
}

/** Splits code into spans; `undefined` for an unknown language. */
export type CodeSpans = (code: string, language: string) => readonly CodeSpan[] | undefined;

/** Loads the highlighter for common languages, by name or file extension. */
export async function loadCodeSpans(): Promise<CodeSpans> {
    const { default: highlighter } = await import("highlight.js/lib/common");
    return (code, language) => {
        if (!highlighter.getLanguage(language)) return undefined;
        const { value } = highlighter.highlight(code, { language, ignoreIllegals: true });
        return spansIn(value);
    };
}

const MARKUP = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+/g;
const ENTITIES: Readonly<Record<string, string>> = {
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    "#x27": "'",
};

// The highlighter emits only its own spans and these five entities.
function spansIn(markup: string): CodeSpan[] {
    const spans: CodeSpan[] = [];
    const open: (string | undefined)[] = [];
    for (const [token, name, entity] of markup.matchAll(MARKUP)) {
        if (name !== undefined) {
            open.push(/hljs-([a-z_]+)/.exec(name)?.[1]);
        } else if (token === "</span>") {
            open.pop();
        } else {
            const text = entity === undefined ? token : (ENTITIES[entity] ?? "");
            const [kind, isNested] = [kindOf(open), open.length > 0];
            const last = spans.at(-1);
            const isMore = last?.kind === kind && last?.isNested === isNested;
            if (last && isMore) spans[spans.length - 1] = { ...last, text: last.text + text };
            else spans.push({ text, ...(kind && { kind }), isNested });
        }
    }
    return spans;
}

const NAMES: readonly (readonly [kind: CodeKind | undefined, names: string])[] = [
    ["keyword", "keyword name selector"],
    ["literal", "built_in literal number symbol type"],
    ["string", "regexp string"],
    ["comment", "comment doctag meta quote"],
    ["name", "attr attribute section title variable"],
    [undefined, "subst"],
];
const KINDS = new Map(
    NAMES.flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind] as const))
);

function kindOf(open: readonly (string | undefined)[]): CodeKind | undefined {
    return KINDS.get(open.findLast((name) => KINDS.has(name ?? "")) ?? "");
}

interface ColouredLine {
    readonly text: string;
    /** A comment or string starts here and continues on the next line. */
    readonly isOpen: boolean;
}

/** Colours one line of code. `above` is the preceding code that it continues. */
export type CodeColours = (line: string, above: string, language: string) => ColouredLine;

// Code further above hardly matters, and the cost per line must not grow.
const LOOK_BACK = 3000;
const MAX_LINE_LENGTH = 1000;

/** Loads the colours of common languages. Unknown languages stay plain. */
export async function loadCodeColours(theme: Theme): Promise<CodeColours> {
    const spansOf = await loadCodeSpans();
    return (line, above, language) => {
        const context = above.slice(-LOOK_BACK);
        const spans =
            line.length > MAX_LINE_LENGTH ? undefined : spansOf(`${context}${line}\n`, language);
        return spans ? styleSpans(spans, context.length, theme) : { text: line, isOpen: false };
    };
}

/** Styles the line that starts at `from`. */
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
