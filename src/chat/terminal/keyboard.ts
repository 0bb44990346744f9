import {
    createInterface,
    emitKeypressEvents,
    type Interface,
    type Key as Keypress,
} from "node:readline";
import { PassThrough, Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

import { afterTime, sleep } from "../../base/waiting.js";
import { InputSplitter, isOpenPaste, type InputPiece } from "./input-splitter.js";
import { decodeModified, plainSequence, press, type Key } from "./keys.js";

/** Max wait for the rest of a sequence after Escape. */
const ESCAPE_TIMEOUT_MS = 50;
/** Max gap between the chunks of one large paste. */
const PASTE_GAP_MS = 20;
/** Key repeats after an answer are ignored for this long. */
const REPEAT_MS = 150;

/** Handles a key; `pass` sends one to the previous handler. */
type KeyHandler = (key: Key, pass: (key: Key) => void) => void;

/** A stack of key handlers: the newest gets each key. */
export class KeyHandlers {
    private readonly handlers: KeyHandler[] = [];

    /** Sends all keys to `handler` until the returned function is called. */
    take(handler: KeyHandler): () => void {
        this.handlers.push(handler);
        return () => {
            const index = this.handlers.lastIndexOf(handler);
            if (index >= 0) this.handlers.splice(index, 1);
        };
    }

    protected handle(key: Key, handlers: readonly KeyHandler[] = this.handlers): void {
        handlers.at(-1)?.(key, (passed) => this.handle(passed, handlers.slice(0, -1)));
    }
}

export type KeySource = Pick<
    Keyboard,
    "start" | "stop" | "take" | "absorb" | "drain" | "lastKeyAt"
>;

/** The only owner of stdin. Decodes what the terminal sends. */
export class Keyboard extends KeyHandlers {
    private readonly splitter = new InputSplitter();
    private readonly decoder = new StringDecoder("utf8");
    private readonly keypresses = new Readable({ read() {} });
    private settings: Interface | undefined;
    private endHold: () => void = () => {};
    private lastOpenPaste = -Infinity;
    private isChunkDiscarded = false;
    /** When the last key came, by the given clock. */
    lastKeyAt = -Infinity;
    private repeating: { readonly sequence: string; readonly until: number } | undefined;

    /** `intercept` sees each key first; `true` means that it handled the key. */
    constructor(
        private readonly input: NodeJS.ReadStream,
        private readonly intercept: (key: Key) => boolean = () => false,
        private readonly now: () => number = () => performance.now()
    ) {
        super();
    }

    start(): void {
        // Node's decoder takes its timeout from an interface; this one reads nothing.
        this.settings = createInterface({
            input: new PassThrough(),
            escapeCodeTimeout: ESCAPE_TIMEOUT_MS,
        });
        emitKeypressEvents(this.keypresses, this.settings);
        this.keypresses.on("keypress", this.onKeypress);
        this.input.on("data", this.onData);
        this.input.resume();
    }

    stop(): void {
        this.endHold();
        this.input.off("data", this.onData);
        this.input.pause();
        this.keypresses.off("keypress", this.onKeypress);
        this.settings?.close();
    }

    override take(handler: KeyHandler): () => void {
        this.repeating = undefined;
        return super.take(handler);
    }

    /** Drops the rest of this key's read, and its repeats: meant for the same question. */
    absorb(key: Key): void {
        this.isChunkDiscarded = true;
        this.repeating = { sequence: key.sequence, until: this.now() + REPEAT_MS };
    }

    /** Resolves once everything typed so far has reached a handler. */
    async drain(): Promise<void> {
        await nextPolls();
        while (this.splitter.isHolding) {
            await sleep(ESCAPE_TIMEOUT_MS);
        }
    }

    private readonly onData = (data: Buffer | string): void => {
        this.endHold();
        const text = typeof data === "string" ? data : this.decoder.write(data);
        const continuesPaste = this.now() - this.lastOpenPaste < PASTE_GAP_MS;
        this.dispatch(this.splitter.push(text, continuesPaste));
        if (this.splitter.isHolding) {
            const flush = (): void => this.dispatch(this.splitter.flush());
            this.endHold = afterTime(ESCAPE_TIMEOUT_MS, flush);
        }
    };

    private dispatch(pieces: readonly InputPiece[]): void {
        this.isChunkDiscarded = false;
        for (const piece of pieces) this.decode(piece);
        if (isOpenPaste(pieces.at(-1))) this.lastOpenPaste = this.now();
        this.isChunkDiscarded = false;
    }

    private decode(piece: InputPiece): void {
        if (piece.type === "paste") {
            this.deliver({ type: "paste", text: piece.text, sequence: piece.text });
        } else if (piece.text === "\u001b") {
            this.deliver(press("escape", {}, "\u001b"));
        } else {
            const text = piece.type === "sequence" ? plainSequence(piece.text) : piece.text;
            if (text !== undefined) this.decodePlain(text);
        }
    }

    private decodePlain(text: string): void {
        const modified = decodeModified(text);
        if (modified) this.deliver(modified);
        else this.keypresses.emit("data", Buffer.from(text));
    }

    private readonly onKeypress = (text: string | undefined, info: Keypress): void => {
        const sequence = info.sequence ?? text ?? "";
        const name = KEY_NAMES[info.name ?? ""] ?? info.name;
        if (text !== undefined && !info.ctrl && !info.meta && !/^\p{Cc}/u.test(text)) {
            this.deliver({ type: "text", text, sequence });
        } else if (name !== undefined && name !== "undefined") {
            this.deliver(press(name, { ...info, alt: info.meta }, sequence));
        } else if (sequence === CTRL_UNDERSCORE) {
            this.deliver(press("_", { ctrl: true }, sequence));
        }
    };

    private deliver(key: Key): void {
        if (this.isChunkDiscarded || this.intercept(key)) return;
        const { repeating } = this;
        const isRepeated = repeating && this.now() < repeating.until;
        if (!isRepeated || key.sequence !== repeating.sequence) {
            this.repeating = undefined;
            this.handle(key);
        }
        // Set last: handlers need the time of the key before.
        this.lastKeyAt = this.now();
    }
}

/** Lets all readable input be read. */
export async function nextPolls(): Promise<void> {
    // The poll phase, which reads the terminal, runs between two immediates.
    for (let round = 0; round < 3; round += 1) {
        await new Promise((resolve) => setImmediate(resolve));
    }
}

/** Node's decoder has no name for this key. */
const CTRL_UNDERSCORE = "\u001f";
const KEY_NAMES: Readonly<Record<string, string>> = { return: "enter", enter: "newline" };
