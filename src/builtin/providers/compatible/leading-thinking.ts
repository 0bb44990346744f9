const [OPEN, CLOSE] = ["<think>", "</think>"];

/** A piece of a reply, as the contract's events name it. */
export interface ReplyPiece {
    readonly type: "text" | "thinking";
    readonly text: string;
}

/**
 * Separates the `<think>` block with which a reply begins: servers without a reasoning parser
 * stream it as text. Holds back only what may become a tag.
 */
export class LeadingThinking {
    private place: "before" | "inside" | "between" | "after" = "before";
    private held = "";

    *take(text: string): Generator<ReplyPiece> {
        this.held += text;
        if (this.place === "before") this.open();
        if (this.place === "inside") yield* this.readThinking();
        if (this.place === "between") {
            this.held = this.held.trimStart();
            if (this.held !== "") this.place = "after";
        }
        if (this.place === "after") yield* this.release("text", this.held.length);
    }

    /** What was held back when the text ends. */
    *end(): Generator<ReplyPiece> {
        const type = this.place === "inside" ? "thinking" : "text";
        yield* this.release(type, this.held.length);
    }

    private open(): void {
        const begin = this.held.trimStart();
        if (begin.length < OPEN.length && OPEN.startsWith(begin)) return;
        const hasTag = begin.startsWith(OPEN);
        this.place = hasTag ? "inside" : "after";
        if (hasTag) this.held = begin.slice(OPEN.length);
    }

    private *readThinking(): Generator<ReplyPiece> {
        const end = this.held.indexOf(CLOSE);
        if (end < 0) {
            yield* this.release("thinking", this.held.length - lengthOfTag(this.held));
            return;
        }
        yield* this.release("thinking", end);
        this.held = this.held.slice(CLOSE.length);
        this.place = "between";
    }

    private *release(type: ReplyPiece["type"], length: number): Generator<ReplyPiece> {
        const text = this.held.slice(0, length);
        this.held = this.held.slice(length);
        if (text !== "") yield { type, text };
    }
}

/** Length of the end of a text that may be the beginning of the closing tag. */
function lengthOfTag(text: string): number {
    for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length -= 1) {
        if (text.endsWith(CLOSE.slice(0, length))) return length;
    }
    return 0;
}
