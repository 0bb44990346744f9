import { type Fence, fenceAfter } from "./fence.js";

interface OpeningTag {
    readonly path: string;
    readonly mode: "create" | "append";
    /** Leading spaces; the closing tag may have the same. */
    readonly indent: string;
}

const OPEN = "<NORTH_FILE";
const CLOSE = "</NORTH_FILE>";
const INDENT = /^ {0,3}/;
const ATTRIBUTE = /[ \t]+([^\s="<>]+)="([^"]*)"/y;
const END = /^[ \t]*>[ \t]*\r?$/;
const BLANK = /^[ \t]*\r?$/;

export type FileBlockEvent =
    | { readonly type: "text"; readonly text: string }
    | {
          readonly type: "file-opened";
          readonly path: string;
          readonly mode: OpeningTag["mode"];
      }
    | { readonly type: "file-content"; readonly text: string }
    | { readonly type: "file-closed" };

/** A longer line is neither a tag nor a fence. */
const MAX_LINE = 4_096;

/**
 * Extracts files from streamed text. Independent of how the text was split, except that text may
 * arrive in several pieces. Holds back only what may become a tag.
 */
export class FileBlockParser {
    private events: FileBlockEvent[] = [];
    private file: OpeningTag | undefined;
    private fence: Fence | undefined;
    /** The current line, up to the maximum relevant length. */
    private line = "";
    /** Nothing of the current line has been emitted yet. */
    private isHeld = true;
    /** A closing tag inside one of the file's fences, and the blank lines after it. */
    private tentativeClose = "";

    /** `keptFence`: the fence open at the end of a file to be continued. */
    constructor(
        private readonly keptFence: (path: string) => Fence | undefined = () => undefined
    ) {}

    push(text: string): readonly FileBlockEvent[] {
        const pieces = text.split("\n");
        for (const [index, piece] of pieces.entries()) {
            if (index > 0) this.endLine("\n");
            if (piece !== "") this.extendLine(piece);
        }
        return this.taken();
    }

    /** Starts another text block: ends the line, unless a file is open. */
    endBlock(): readonly FileBlockEvent[] {
        if (!this.file) {
            this.endLine("");
            if (!this.file) this.fence = undefined;
        } else if (this.isHeld && isClosingTag(this.line, this.file.indent)) {
            this.release("");
            this.closeFile();
        } else if (this.tentativeClose !== "" && this.isBlankSoFar()) {
            this.closeFile();
        }
        return this.taken();
    }

    /** Ends the text. An open file stays unfinished, without the partial closing tag at its end. */
    end(): readonly FileBlockEvent[] {
        const events = this.endBlock();
        if (this.file && this.isHeld) {
            this.release(mayBecomeClosing(this.line, this.file.indent) ? "" : this.line);
        }
        this.startLine();
        return [...events, ...this.taken()];
    }

    private extendLine(piece: string): void {
        const wasHeld = this.isHeld;
        const room = MAX_LINE + 1 - this.line.length;
        const line = this.line + piece;
        this.line += piece.slice(0, Math.max(0, room));
        if (!wasHeld) return this.emit(piece);
        this.isHeld = line.length <= MAX_LINE && this.mayMatter();
        if (!this.isHeld) this.release(line);
    }

    private mayMatter(): boolean {
        if (this.tentativeClose !== "" && this.isBlankSoFar()) return true;
        if (this.file) return mayBecomeClosing(this.line, this.file.indent);
        return this.fence === undefined && mayBecomeOpening(this.line);
    }

    private isBlankSoFar(): boolean {
        return this.isHeld && this.line.trim() === "";
    }

    private endLine(lineBreak: "\n" | ""): void {
        const { line, file } = this;
        if (this.isHeld && file && isClosingTag(line, file.indent)) {
            if (this.fence) this.closeTentatively(line + lineBreak);
            else this.closeFile();
            return this.startLine();
        }
        const tag = this.isHeld && !file && !this.fence ? openingTag(line) : undefined;
        if (tag) {
            this.openFile(tag);
            return this.startLine();
        }
        if (this.tentativeClose !== "" && this.isBlankSoFar()) {
            this.tentativeClose += line + lineBreak;
            return this.startLine();
        }
        if (this.isHeld) this.release(line);
        this.emit(lineBreak);
        if (line.length <= MAX_LINE) this.fence = fenceAfter(line, this.fence);
        this.startLine();
    }

    private startLine(): void {
        this.line = "";
        this.isHeld = true;
    }

    private openFile(tag: OpeningTag): void {
        this.file = tag;
        this.fence = tag.mode === "append" ? this.keptFence(tag.path) : undefined;
        this.events.push({ type: "file-opened", path: tag.path, mode: tag.mode });
    }

    private closeFile(): void {
        this.file = undefined;
        this.fence = undefined;
        this.tentativeClose = "";
        this.events.push({ type: "file-closed" });
        this.startLine();
    }

    // A fence that is never closed (in a string, say) must not keep the file open forever, so the
    // last such tag in the reply closes it. Whether this one does depends on what follows.
    private closeTentatively(tagLine: string): void {
        this.release("");
        this.tentativeClose = tagLine;
    }

    private release(line: string): void {
        const { tentativeClose } = this;
        this.tentativeClose = "";
        this.emit(tentativeClose + line);
    }

    private emit(text: string): void {
        if (text === "") return;
        const type = this.file ? "file-content" : "text";
        const last = this.events.at(-1);
        if (last?.type === type) this.events.splice(-1, 1, { type, text: last.text + text });
        else this.events.push({ type, text });
    }

    private taken(): readonly FileBlockEvent[] {
        const { events } = this;
        this.events = [];
        return events;
    }
}

/** Parses a line that consists of an opening tag; anything else is text. */
function openingTag(line: string): OpeningTag | undefined {
    const [indent = ""] = INDENT.exec(line) ?? [];
    if (!line.startsWith(OPEN, indent.length)) return undefined;
    const attributes = new Map<string, string>();
    let end = indent.length + OPEN.length;
    for (;;) {
        ATTRIBUTE.lastIndex = end;
        const [whole, name = "", value = ""] = ATTRIBUTE.exec(line) ?? [];
        if (whole === undefined) break;
        if (attributes.has(name)) return undefined;
        attributes.set(name, value);
        end += whole.length;
    }
    if (!END.test(line.slice(end))) return undefined;
    const path = attributes.get("path") ?? "";
    const mode = attributes.get("mode");
    const known = mode === undefined ? 1 : 2;
    if (path.trim() === "" || attributes.size !== known) return undefined;
    if (mode !== undefined && mode !== "append") return undefined;
    return { path, mode: mode ?? "create", indent };
}

function isClosingTag(line: string, indent: string): boolean {
    return closingTags(indent).some(
        (tag) => line.startsWith(tag) && BLANK.test(line.slice(tag.length))
    );
}

/** Whether the beginning of a line may still become an opening tag. */
function mayBecomeOpening(beginning: string): boolean {
    const rest = beginning.replace(INDENT, "");
    return OPEN.startsWith(rest) || /^<NORTH_FILE[ \t]/.test(rest);
}

/** Whether the beginning of a line may still become a closing tag. */
function mayBecomeClosing(beginning: string, indent: string): boolean {
    return (
        closingTags(indent).some((tag) => tag.startsWith(beginning)) ||
        isClosingTag(beginning, indent)
    );
}

// A file may contain the tag as text, so as few variants as possible count.
function closingTags(indent: string): readonly string[] {
    return indent === "" ? [CLOSE] : [CLOSE, indent + CLOSE];
}

/** A stored reply as displayed: of each file only the name remains. */
export function textWithoutFiles(text: string): string {
    const parser = new FileBlockParser();
    const shown = [...parser.push(text), ...parser.end()].map((event) => {
        if (event.type === "text") return event.text;
        return event.type === "file-opened" ? `[file ${event.path}]\n` : "";
    });
    return shown.join("");
}
