import { StringDecoder } from "node:string_decoder";

import { KeyHandlers, nextPolls, type KeySource } from "./keyboard.js";
import { press, type Key } from "./keys.js";
import { safeLine } from "../../base/safe-text.js";

const ENTER = press("enter", {}, "\r");
const LEAVE = press("d", { ctrl: true }, "\u0004");
const INTERRUPT = press("c", { ctrl: true }, "\u0003");

/** For a terminal that edits lines itself. Turns a line into its text and Enter. */
export class LineKeyboard extends KeyHandlers implements KeySource {
    /** An entered line is always deliberate. */
    readonly lastKeyAt = -Infinity;
    private readonly decoder = new StringDecoder("utf8");
    private releaseInterrupts = (): void => {};
    private pending = "";
    private isReadDiscarded = false;
    private dropped: string | undefined;

    constructor(
        private readonly input: NodeJS.ReadStream,
        private readonly events: {
            entered(): void;
            /** Called with text typed before a question, which is discarded. */
            dropped(text: string): void;
        }
    ) {
        super();
    }

    start(): void {
        // Ctrl+C arrives as a signal here; handle it as a key.
        this.releaseInterrupts = takeInterrupts(this.onInterrupt);
        this.input.on("data", this.onData);
        this.input.on("end", this.onEnd);
        this.input.resume();
    }

    stop(): void {
        this.releaseInterrupts();
        this.input.off("data", this.onData);
        this.input.off("end", this.onEnd);
        this.input.pause();
    }

    absorb(): void {
        this.isReadDiscarded = true;
    }

    /** Discards a partial line: it would become the start of the answer. */
    async drain(): Promise<void> {
        await nextPolls();
        this.dropped = this.pending;
        this.pending = "";
        // The terminal hands over a partial line only in raw mode.
        this.input.setRawMode(true);
        await nextPolls();
        this.input.setRawMode(false);
        const text = safeLine(this.dropped);
        this.dropped = undefined;
        if (text !== "") this.events.dropped(text);
    }

    private readonly onData = (data: Buffer | string): void => {
        const text = typeof data === "string" ? data : this.decoder.write(data);
        if (this.dropped !== undefined) {
            this.dropped += text;
            if (text.includes(INTERRUPT.sequence)) this.onInterrupt();
            return;
        }
        const lines = (this.pending + text).split(/\r\n?|\n/);
        this.pending = lines.pop() ?? "";
        this.isReadDiscarded = false;
        for (const line of lines) this.enter(safeLine(line));
        this.isReadDiscarded = false;
    };

    private enter(line: string): void {
        this.events.entered();
        if (line !== "") this.deliver({ type: "text", text: line, sequence: line });
        this.deliver(ENTER);
    }

    private readonly onInterrupt = (): void => {
        this.pending = "";
        this.events.entered();
        this.handle(INTERRUPT);
    };

    private readonly onEnd = (): void => this.handle(LEAVE);

    private deliver(key: Key): void {
        if (!this.isReadDiscarded) this.handle(key);
    }
}

/** Replaces all SIGINT listeners until the returned function is called. */
export function takeInterrupts(listener: () => void): () => void {
    const others = process.listeners("SIGINT");
    process.on("SIGINT", listener);
    for (const other of others) process.off("SIGINT", other);
    return () => {
        for (const other of others) process.on("SIGINT", other);
        process.off("SIGINT", listener);
    };
}
