import { setImmediate as nextTick } from "node:timers/promises";
import { parseUrl } from "../../../base/parse-url.js";
import { TextWriter } from "./text-writer.js";

/** Never readable text: code, drawings, controls, fallbacks for missing scripts. */
const SKIPPED = tags(
    "script style noscript template svg math canvas iframe object audio video select textarea"
);
const PARAGRAPHS = tags(
    "p h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote section article main header footer nav aside figure form fieldset details hr"
);
const LINES = tags("div li tr dt dd br figcaption summary caption option address");

function tags(names: string): ReadonlySet<string> {
    return new Set(names.split(" "));
}

/** Deeper than any legitimate page; the parser's work grows with the depth. */
const MAX_DEPTH = 1000;

/** In characters; search engines show 60. */
const MAX_TITLE = 1000;

interface ReadablePage {
    readonly title?: string;
    readonly text: string;
    /** Whether the page was too long, or too deeply nested to read to the end. */
    readonly isCut: boolean;
}

/** Parsed in slices, so that a hostile page cannot block a cancel. */
const SLICE = 32 * 1024;

/**
 * Converts HTML to readable text with Markdown marks. Uses a streaming parser because the usual
 * libraries build a tree: 15 KB of nested lists overflow their stack, and a 5 MB page blocks the
 * process for 20 seconds.
 */
export async function htmlToText(
    html: string,
    base: URL,
    signal: AbortSignal
): Promise<ReadablePage> {
    const inMain = await read(html, base, signal, "main");
    return inMain.text === "" ? read(html, base, signal, "all") : inMain;
}

async function read(
    html: string,
    base: URL,
    signal: AbortSignal,
    part: PagePart
): Promise<ReadablePage> {
    const { Parser } = await import("htmlparser2");
    const reader = new PageReader(base, part);
    const parser = new Parser(reader);
    for (let start = 0; start < html.length && !reader.isTooDeep; start += SLICE) {
        signal.throwIfAborted();
        parser.write(html.slice(start, start + SLICE));
        await nextTick();
    }
    if (!reader.isTooDeep) parser.end();
    const { title, text, isCut } = reader;
    return { ...(title === "" ? {} : { title }), text, isCut };
}

/** `main`: only the first `<main>`, if there is one. */
type PagePart = "main" | "all";

/** Handles the parser's events and keeps what a person would read. */
class PageReader {
    title = "";
    isTooDeep = false;
    private writer = new TextWriter();
    private readonly lists: { readonly isOrdered: boolean; items: number }[] = [];
    private readonly links: (string | undefined)[] = [];
    private depth = 0;
    private skipped = 0;
    private preformatted = 0;
    private isInTitle = false;
    private cells = 0;
    private mainDepth: number | undefined;
    private isDone = false;

    constructor(
        private readonly base: URL,
        private readonly part: PagePart
    ) {}

    get isCut(): boolean {
        return this.isTooDeep || this.writer.isFull;
    }

    get text(): string {
        return this.writer.toString();
    }

    onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
        this.depth++;
        this.isTooDeep ||= this.depth > MAX_DEPTH;
        if (name === "title" && this.title === "" && this.skipped === 0) this.isInTitle = true;
        if (SKIPPED.has(name)) this.skipped++;
        if (this.skipped > 0 || this.isDone) return;
        const isMain = name === "main" || attributes.role === "main";
        if (this.part === "main" && this.mainDepth === undefined && isMain) {
            this.mainDepth = this.depth;
            this.writer = new TextWriter();
        }
        this.separate(name);
        this.open(name, attributes);
    }

    ontext(text: string): void {
        if (this.isInTitle) this.addToTitle(text);
        else if (this.skipped > 0 || this.isDone) return;
        else if (this.preformatted > 0) this.writer.verbatim(text);
        else this.writer.text(text);
    }

    onclosetag(name: string): void {
        const depth = this.depth--;
        if (name === "title" && this.isInTitle) {
            this.isInTitle = false;
            this.title = this.title.trimEnd();
        }
        const wasSkipped = this.skipped > 0;
        if (SKIPPED.has(name)) this.skipped--;
        if (wasSkipped || this.isDone) return;
        this.close(name);
        this.separate(name);
        if (depth === this.mainDepth) this.isDone = true;
    }

    /** Bounded: each of a title's pieces, which may be millions, looks at all of it again. */
    private addToTitle(text: string): void {
        if (this.title.length >= MAX_TITLE) return;
        const title = `${this.title}${text}`.replace(/\s+/g, " ").trimStart();
        this.title = title.slice(0, MAX_TITLE);
    }

    private separate(name: string): void {
        const isNestedList = (name === "ul" || name === "ol") && this.lists.length > 0;
        if (PARAGRAPHS.has(name) && !isNestedList) this.writer.breakLine(2);
        else if (LINES.has(name) || isNestedList) this.writer.breakLine();
    }

    private open(name: string, attributes: Readonly<Record<string, string>>): void {
        const heading = /^h([1-6])$/.exec(name)?.[1];
        if (heading !== undefined) this.writer.beginWith(`${"#".repeat(Number(heading))} `);
        switch (name) {
            case "ul":
            case "ol":
                this.lists.push({ isOrdered: name === "ol", items: 0 });
                break;
            case "li":
                this.writer.beginWith(this.bullet());
                break;
            case "a":
                this.links.push(this.target(attributes.href));
                if (this.links.at(-1) !== undefined) this.writer.beginWith("[");
                break;
            case "pre":
                this.preformatted++;
                this.writer.verbatim("```\n");
                break;
            case "code":
                if (this.preformatted === 0) this.writer.beginWith("`");
                break;
            case "tr":
                this.cells = 0;
                break;
            case "td":
            case "th":
                if (this.cells++ > 0) this.writer.divide(" | ");
                break;
            case "img":
                if (attributes.alt) this.writer.text(`[image: ${attributes.alt}]`);
                break;
        }
    }

    private close(name: string): void {
        if (/^h[1-6]$/.test(name) || name === "li") this.writer.forget();
        switch (name) {
            case "ul":
            case "ol":
                this.lists.pop();
                break;
            case "a": {
                const target = this.links.pop();
                if (target && !this.writer.forget()) this.writer.append(`](${target})`);
                break;
            }
            case "pre":
                if (this.preformatted === 0) break;
                this.preformatted--;
                this.writer.append("\n```");
                break;
            case "code":
                if (this.preformatted === 0 && !this.writer.forget()) this.writer.append("`");
                break;
        }
    }

    private bullet(): string {
        const list = this.lists.at(-1);
        const indent = "  ".repeat(Math.max(0, this.lists.length - 1));
        if (list === undefined || !list.isOrdered) return `${indent}- `;
        return `${indent}${++list.items}. `;
    }

    /** Returns a link's target if it can be fetched; others are not worth their characters. */
    private target(href: string | undefined): string | undefined {
        const isElsewhere = href !== undefined && !href.startsWith("#");
        const url = isElsewhere ? parseUrl(href, this.base) : undefined;
        return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined;
    }
}
