import type { Theme } from "../../terminal/theme.js";

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
    const { default: highlighter } = await import("highlight.js/lib/common");
    return (line, above, language) => {
        if (line.length > LONGEST_LINE || !highlighter.getLanguage(language)) {
            return { text: line, isOpen: false };
        }
        const context = above.slice(-LOOK_BACK);
        const options = { language, ignoreIllegals: true };
        const { value } = highlighter.highlight(`${context}${line}\n`, options);
        return styleSpans(value, context.length, theme);
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

// The highlighter's output holds nothing but its own spans and these five entities.
function styleSpans(markup: string, from: number, theme: Theme): ColouredLine {
    const open: (string | undefined)[] = [];
    let position = 0;
    let [line, isOpen] = ["", false];
    for (const [token, name, entity] of markup.matchAll(MARKUP)) {
        if (name !== undefined) open.push(/hljs-([a-z_]+)/.exec(name)?.[1]);
        else if (token === "</span>") open.pop();
        else {
            const text = entity === undefined ? token : (ENTITIES[entity] ?? "");
            const shown = text.slice(Math.max(0, from - position)).replace("\n", "");
            position += text.length;
            isOpen = open.length > 0;
            if (shown !== "") line += styleOf(open, theme)(shown);
        }
    }
    return { text: line, isOpen };
}

function styleOf(open: readonly (string | undefined)[], theme: Theme): (text: string) => string {
    for (const name of open.toReversed()) {
        const kind = KINDS[name ?? ""];
        if (kind === "plain") break;
        if (kind) return theme[kind];
    }
    return (text) => text;
}

const KINDS: Readonly<
    Record<string, "keyword" | "literal" | "string" | "comment" | "name" | "plain">
> = {
    keyword: "keyword",
    built_in: "literal",
    literal: "literal",
    number: "literal",
    type: "literal",
    symbol: "literal",
    string: "string",
    regexp: "string",
    quote: "comment",
    comment: "comment",
    meta: "comment",
    doctag: "comment",
    title: "name",
    name: "keyword",
    attr: "name",
    attribute: "name",
    variable: "name",
    selector: "keyword",
    section: "name",
    subst: "plain",
};
