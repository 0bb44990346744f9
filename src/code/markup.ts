import { countBelow } from "../base/count-below.js";
import type { Section } from "./section.js";

/** Elements that count as sections even without an id. */
const SECTIONS = new Set([
    ...["head", "body", "header", "nav", "main", "section", "article", "aside", "footer"],
    ...["form", "dialog", "template"],
]);
const SCRIPT_TYPES =
    /^(?:|module|(?:text|application)\/(?:x-)?(?:javascript|ecmascript|babel|jsx))$/i;

/** The content of `<style>` or `<script>`, to be read in its own language. */
interface EmbeddedText {
    readonly language: string;
    /** Padded with leading line breaks, so that line numbers match the file. */
    readonly text: string;
}

type OpenSection = { -readonly [Key in keyof Section]: Section[Key] } & { children: Section[] };

function embeddedLanguage(tag: string, attributes: Record<string, string>): string | undefined {
    const named = attributes.lang?.toLowerCase();
    if (tag === "style") {
        const style = named ?? "css";
        return ["css", "scss", "less"].includes(style) ? style : undefined;
    }
    if (tag !== "script" || attributes.src !== undefined) return undefined;
    if (named === "ts" || /typescript/.test(attributes.type ?? "")) return "typescript";
    if (named === "tsx") return "tsx";
    return SCRIPT_TYPES.test(attributes.type ?? "") ? "javascript" : undefined;
}

/** Returns a function that maps offsets to lines. */
function lineFinder(text: string): (offset: number) => number {
    const breaks: number[] = [];
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) breaks.push(at);
    return (offset) => countBelow(breaks, offset) + 1;
}

class MarkupReader {
    readonly sections: Section[] = [];
    readonly embedded: { readonly section: OpenSection; readonly content: EmbeddedText }[] = [];
    private readonly open: {
        readonly section: OpenSection | undefined;
        readonly embedded: { readonly language: string; readonly start: number } | undefined;
    }[] = [];
    private readonly lineAt: (offset: number) => number;
    private readonly lastOffset: number;

    constructor(private readonly text: string) {
        this.lineAt = lineFinder(text);
        this.lastOffset = Math.max(0, text.trimEnd().length - 1);
    }

    openTag(tag: string, attributes: Record<string, string>, start: number, end: number): void {
        const language = embeddedLanguage(tag, attributes);
        const isEmbedded = tag === "style" || tag === "script";
        const isSection = isEmbedded || SECTIONS.has(tag) || Boolean(attributes.id);
        const startLine = this.lineAt(start);
        const type = isEmbedded ? tag : "element";
        const mark = (["id", "class"] as const).find((each) => attributes[each]);
        const name = mark === undefined ? `<${tag}>` : `<${tag} ${mark}="${attributes[mark]}">`;
        const section: OpenSection | undefined = isSection
            ? { type, name, startLine, endLine: startLine, children: [] }
            : undefined;
        if (section !== undefined) {
            const outer = this.open.findLast((element) => element.section !== undefined);
            (outer?.section?.children ?? this.sections).push(section);
        }
        const embedded = language === undefined ? undefined : { language, start: end + 1 };
        this.open.push({ section, embedded });
    }

    /** `contentEnd`: start of the closing tag. Unclosed elements extend to the end. */
    closeTag(contentEnd: number, end: number): void {
        const { section, embedded } = this.open.pop() ?? {};
        if (section === undefined) return;
        const endLine = this.lineAt(Math.min(end, this.lastOffset));
        section.endLine = Math.max(section.startLine, endLine);
        if (embedded === undefined) return;
        const padding = "\n".repeat(this.lineAt(embedded.start) - 1);
        const text = padding + this.text.slice(embedded.start, contentEnd);
        this.embedded.push({ section, content: { language: embedded.language, text } });
    }
}

/** Reads sectioning elements, elements with an id, and the contents of `<style>` and `<script>`. */
export async function readMarkup(
    text: string,
    selfClosing: boolean,
    readEmbedded: (embedded: EmbeddedText) => Promise<readonly Section[]>
): Promise<Section[]> {
    const { Parser } = await import("htmlparser2");
    const reader = new MarkupReader(text);
    const parser = new Parser(
        {
            onopentag: (tag, attributes) =>
                reader.openTag(tag, attributes, parser.startIndex, parser.endIndex),
            onclosetag: () => reader.closeTag(parser.startIndex, parser.endIndex),
        },
        { recognizeSelfClosing: selfClosing }
    );
    parser.end(text);
    for (const { section, content } of reader.embedded) {
        section.children.push(...(await readEmbedded(content)));
    }
    return reader.sections;
}
