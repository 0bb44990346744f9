import type { Input } from "../core/session.js";

export class InputQueue {
    private waiting: Input[] = [];
    private closed = false;
    private wake: (() => void) | undefined;
    private end = (): void => {};
    readonly closing = new Promise<void>((resolve) => (this.end = resolve));

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

    peek(): Input | undefined {
        return this.waiting[0];
    }

    /** Removes an input if it is still next. */
    take(input: Input): boolean {
        if (this.waiting[0] !== input) return false;
        this.waiting.shift();
        this.announce();
        return true;
    }

    takeLast(): Input | undefined {
        const last = this.waiting.pop();
        this.announce();
        return last;
    }

    takeAll(): readonly Input[] {
        const all = this.waiting;
        this.waiting = [];
        this.announce();
        return all;
    }

    /** Waits for the next input. `undefined` once closed. */
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
