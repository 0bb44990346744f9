import type { Input } from "../core/session.js";

/** Sent inputs that wait to be handled one at a time. */
export class InputQueue {
    private waiting: Input[] = [];
    private closed = false;
    private wake: (() => void) | undefined;
    private end = (): void => {};
    /** Resolves when the queue closes. */
    readonly closing = new Promise<void>((resolve) => (this.end = resolve));

    /** `changed` is called whenever the waiting inputs change. */
    constructor(private readonly changed: (waiting: readonly string[]) => void) {}

    get isClosed(): boolean {
        return this.closed;
    }

    push(text: string, typed = text): void {
        this.waiting.push({ text, typed });
        this.announce();
    }

    close(): void {
        this.closed = true;
        this.end();
        this.announce();
    }

    /** The next input. */
    peek(): Input | undefined {
        return this.waiting[0];
    }

    /** Removes an input if it is still the next. */
    take(input: Input): boolean {
        if (this.waiting[0] !== input) return false;
        this.waiting.shift();
        this.announce();
        return true;
    }

    /** Removes and returns the input sent last. */
    takeLast(): Input | undefined {
        const last = this.waiting.pop();
        this.announce();
        return last;
    }

    /** Removes and returns all waiting inputs. */
    takeAll(): readonly Input[] {
        const all = this.waiting;
        this.waiting = [];
        this.announce();
        return all;
    }

    /** The next input; `undefined` once closed. */
    async next(): Promise<Input | undefined> {
        while (!this.closed && this.waiting.length === 0) {
            await new Promise<void>((resolve) => (this.wake = resolve));
        }

        if (this.closed) return undefined;
        const input = this.waiting.shift();
        this.announce();
        return input;
    }

    private announce(): void {
        this.changed(this.waiting.map(({ text }) => text));
        this.wake?.();
    }
}
