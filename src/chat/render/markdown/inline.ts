import type { Lexer, Token } from "marked";
import { stripControls } from "../../../base/safe-text.js";
import type { Theme } from "../../terminal/theme.js";

/** Longer lines are data, not prose, and stay as they are. */
const MAX_CHARACTERS = 20_000;
/** Unclosed emphasis marks cost the lexer quadratic time. */
const MAX_MARKS = 400;

interface Parsers {
    readonly lexer: typeof Lexer;
    readonly decode: (text: string) => string;
}

let parsers: Parsers | undefined;

/** Loads the Markdown lexer. Until then lines stay as written. */
export async function loadInline(): Promise<void> {
    const [{ Lexer: lexer }, { decodeHTMLStrict: decode }] = await Promise.all([
        import("marked"),
        import("entities/decode"),
    ]);
    parsers = { lexer, decode };
}

interface InlineOptions {
    readonly theme: Theme;
    /** The line still grows: unclosed marks count as open. */
    readonly isGrowing: boolean;
}

/**
 * Styles emphasis, code and links in one line. Without colours the line stays as written, because
 * the marks carry the emphasis. With colours the marks are removed, link addresses follow in
 * parentheses, and entities are decoded.
 */
export function renderInline(text: string, { theme, isGrowing }: InlineOptions): string {
    const isShort = text.length <= MAX_CHARACTERS && text.split(/[*_~`[<]/).length <= MAX_MARKS;
    if (theme.isPlain || !isShort || !parsers) return text;
    const { lexer, decode } = parsers;
    const render = (tokens: readonly Token[] = []): string => tokens.map(renderToken).join("");
    const link = (label: string, address: string, text: string) =>
        theme.link(label) + (text === address ? "" : theme.quiet(` (${oneLine(address)})`));
    const renderToken = (token: Token): string => {
        switch (token.type) {
            case "strong":
                return theme.strong(render(token.tokens));
            case "em":
                return theme.emphasis(render(token.tokens));
            case "codespan":
                return theme.code(token.text);
            case "escape":
                return token.text;
            case "text":
                // Use `raw`: the lexer's `text` has some entities decoded, even escape characters.
                return withCharacters(token.raw, decode);
            case "image":
                return link(withCharacters(token.text, decode), token.href, token.text);
            case "link":
                // The label of a bare URL may lack its scheme.
                return link(
                    render(token.tokens),
                    token.href,
                    token.autolink ? token.href : token.text
                );
            case "del":
                // A single tilde usually means "about".
                if (token.raw.startsWith("~~")) return theme.deleted(render(token.tokens));
                return `~${render(token.tokens)}~`;
            default:
                return token.raw;
        }
    };
    return render(lexer.lexInline(isGrowing ? closed(text) : text));
}

const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;

/** Decodes entities, and strips control characters that they encode. */
function withCharacters(text: string, decode: (text: string) => string): string {
    return text.replace(ENTITY, (entity) => oneLine(decode(entity)));
}

function oneLine(text: string): string {
    return stripControls(text).replaceAll("\n", " ");
}

const MARK = /\\.|`+|\*\*|__|~~|\*|_/g;

/** Closes what is open at the end of the line. */
function closed(text: string): string {
    let open: string[] = [];
    for (const { 0: mark, index } of text.matchAll(MARK)) {
        const [before = " ", after = " "] = [text[index - 1], text[index + mark.length]];
        if (mark.startsWith("\\") || (open.at(-1)?.startsWith("`") && open.at(-1) !== mark)) {
            continue;
        }
        const at = open.lastIndexOf(mark);
        const isInWord = mark.startsWith("_") && /[\p{L}\p{N}]/u.test(before);
        if (at >= 0) open = open.slice(0, at);
        else if (/\S/.test(after) && !isInWord) open.push(mark);
    }
    return open.length === 0 ? text : text.trimEnd() + open.reverse().join("");
}
