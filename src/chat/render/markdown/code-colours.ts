import type { Theme } from "../../terminal/theme.js";

/** Colours one line of code; `above` is the code before it, which may have opened a comment. */
export type CodeColours = (line: string, above: string, language: string) => string;

// What stands further above hardly matters, and colouring must not cost more with every line.
const LOOK_BACK = 3000;
const LONGEST_LINE = 1000;

/** Loads the colours of common languages; a language that is not known stays as it is. */
export async function loadCodeColours(theme: Theme): Promise<CodeColours> {
    const { default: highlighter } = await import("highlight.js/lib/common");
    return (line, above, language) => {
        if (line.length > LONGEST_LINE || !highlighter.getLanguage(language)) return line;
        const context = above.slice(-LOOK_BACK);
        const { value } = highlighter.highlight(context + line, { language, ignoreIllegals: true });
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
function styleSpans(markup: string, from: number, theme: Theme): string {
    const open: (string | undefined)[] = [];
    let position = 0;
    let line = "";
    for (const [token, name, entity] of markup.matchAll(MARKUP)) {
        if (name !== undefined) open.push(/hljs-([a-z_]+)/.exec(name)?.[1]);
        else if (token === "</span>") open.pop();
        else {
            const text = entity === undefined ? token : (ENTITIES[entity] ?? "");
            const shown = text.slice(Math.max(0, from - position));
            position += text.length;
            if (shown !== "") line += styleOf(open, theme)(shown);
        }
    }
    return line;
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
