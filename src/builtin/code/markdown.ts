import { nest, type Section } from "./section.js";

interface Heading {
    readonly level: number;
    readonly name: string;
    readonly startLine: number;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const ATX_HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const SETEXT_UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const THEMATIC_BREAK = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const CONTAINER = /^ {0,3}(?:>|(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$))/;
/** Raw HTML that reaches over blank lines. */
const COMMENT_START = /^ {0,3}<!--(?!.*-->)/;
const VERBATIM_START = /^ {0,3}<(script|pre|style|textarea)(?=[\s>]|$)(?!.*<\/\1>)/i;

/** Reads headings line by line, after the block rules of CommonMark. */
class HeadingReader {
    readonly headings: Heading[] = [];
    /** Whether a line ends the fence or raw HTML it is in. */
    private isEnd: ((line: string) => boolean) | undefined;
    private paragraph: { readonly startLine: number; readonly lines: string[] } | undefined;
    /** Text that goes on in a list or quotation is not a paragraph that can be underlined. */
    private inContainer = false;

    read(line: string, number: number): void {
        if (this.isEnd !== undefined) {
            if (this.isEnd(line)) this.isEnd = undefined;
            return;
        }
        const heading = ATX_HEADING.exec(line);
        const underline = SETEXT_UNDERLINE.exec(line)?.[1];
        this.isEnd = endOf(line);
        if (this.isEnd !== undefined) {
            this.paragraph = undefined;
        } else if (heading !== null) {
            this.add(heading[1]?.length ?? 1, heading[2] ?? "", number);
        } else if (underline !== undefined && this.paragraph !== undefined) {
            const { startLine, lines } = this.paragraph;
            this.add(underline.startsWith("=") ? 1 : 2, lines.join(" "), startLine);
        } else {
            this.readText(line, number);
        }
    }

    private readText(line: string, number: number): void {
        const isContainer = CONTAINER.test(line);
        if (line.trim() === "" || THEMATIC_BREAK.test(line) || isContainer) {
            this.paragraph = undefined;
            this.inContainer = isContainer || (this.inContainer && line.trim() === "");
        } else if (this.paragraph !== undefined) {
            this.paragraph.lines.push(line.trim());
        } else if (!this.inContainer && !/^(?: {4}|\t)/.test(line)) {
            this.paragraph = { startLine: number, lines: [line.trim()] };
        }
    }

    private add(level: number, name: string, startLine: number): void {
        this.headings.push({ level, name: name.trim(), startLine });
        this.paragraph = undefined;
        this.inContainer = false;
    }
}

/** What ends the fence or raw HTML that a line opens. */
function endOf(line: string): ((line: string) => boolean) | undefined {
    const [, fence, info] = FENCE.exec(line) ?? [];
    if (fence !== undefined && !(fence.startsWith("`") && info?.includes("`") === true)) {
        const closing = new RegExp(`^ {0,3}${fence[0] ?? ""}{${fence.length},}[ \\t]*$`);
        return (next) => closing.test(next);
    }
    if (COMMENT_START.test(line)) return (next) => next.includes("-->");
    const tag = VERBATIM_START.exec(line)?.[1];
    return tag === undefined
        ? undefined
        : (next) => next.toLowerCase().includes(`</${tag.toLowerCase()}>`);
}

/** How many lines of front matter (YAML or TOML) a file begins with. */
function frontMatterLines(lines: readonly string[]): number {
    const fence = lines[0]?.trimEnd();
    if (fence !== "---" && fence !== "+++") return 0;
    const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === fence);
    return end + 1;
}

/** The sections under a file's headings; deeper headings are inside higher ones. */
export function readMarkdown(text: string): Section[] {
    const lines = text.split(/\r?\n/);
    if (lines.at(-1) === "") lines.pop();
    const reader = new HeadingReader();
    for (let index = frontMatterLines(lines); index < lines.length; index++) {
        reader.read(lines[index] ?? "", index + 1);
    }
    const { headings } = reader;
    const drafts = headings.map((heading, index) => {
        const next = headings.slice(index + 1).find((other) => other.level <= heading.level);
        const endLine = next === undefined ? lines.length : next.startLine - 1;
        const children: Section[] = [];
        const { level, name, startLine } = heading;
        return { level, section: { type: "heading" as const, name, startLine, endLine, children } };
    });
    const top: Section[] = [];
    nest(
        drafts,
        (outer, inner) => outer.level < inner.level,
        (draft, outer) => (outer?.section.children ?? top).push(draft.section) > 0
    );
    return top;
}
