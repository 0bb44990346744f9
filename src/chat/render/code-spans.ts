export type CodeKind = "keyword" | "literal" | "string" | "comment" | "name";

export interface CodeSpan {
    readonly text: string;
    /** Absent for what has no colour of its own. */
    readonly kind?: CodeKind;
    /** A part of something larger, such as a comment, which may go on behind it. */
    readonly isNested: boolean;
}

/** Takes code apart; `undefined` where the language is not known. */
export type CodeSpans = (code: string, language: string) => readonly CodeSpan[] | undefined;

/** Loads what knows the common languages, by their names and by the ends of their files' names. */
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

// The highlighter's output holds nothing but its own spans and these five entities.
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

function kindOf(open: readonly (string | undefined)[]): CodeKind | undefined {
    const known = open.findLast((name) => KINDS[name ?? ""] !== undefined);
    const kind = KINDS[known ?? ""];
    return kind === "plain" ? undefined : kind;
}

const KINDS: Readonly<Record<string, CodeKind | "plain">> = {
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
