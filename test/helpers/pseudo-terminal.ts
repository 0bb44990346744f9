import { readSync } from "node:fs";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

import { spawn, type IPty } from "@lydell/node-pty";

import { PATIENCE_MS } from "./patience.js";
import { ReflowingScreen } from "./reflowing-screen.js";
import { ScreenModel } from "./screen-model.js";

/** The program to run and the size of its terminal. */
export interface TerminalOptions {
    readonly command: string;
    readonly args?: readonly string[];
    readonly cwd?: string;
    /** The whole environment except `TERM`. Default: the test's own. */
    readonly env?: Readonly<Record<string, string | undefined>>;
    /** The value of `TERM`. */
    readonly term?: string;
    readonly columns?: number;
    readonly rows?: number;
    /** Whether it rewraps on a new width; otherwise it cuts. */
    readonly reflows?: boolean;
}

export interface TerminalExit {
    readonly exitCode: number;
    readonly signal: number;
}

// https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036
const BEGIN_FRAME = "\u001b[?2026h";
const END_FRAME = "\u001b[?2026l";

const KEYS: Readonly<Record<string, string>> = {
    enter: "\r",
    tab: "\t",
    escape: "\u001b",
    backspace: "\u007f",
    delete: "\u001b[3~",
    up: "\u001b[A",
    down: "\u001b[B",
    right: "\u001b[C",
    left: "\u001b[D",
    home: "\u001b[H",
    end: "\u001b[F",
    "ctrl-left": "\u001b[1;5D",
    "ctrl-right": "\u001b[1;5C",
    "alt-left": "\u001b[1;3D",
    "alt-right": "\u001b[1;3C",
    "ctrl-home": "\u001b[1;5H",
    "ctrl-end": "\u001b[1;5F",
    "alt-backspace": "\u001b\u007f",
    "shift-tab": "\u001b[Z",
    "ctrl-_": "\u001f",
    "shift-enter": "\u001b[13;2u",
    "alt-enter": "\u001b\r",
};

/** Starts a program in its own terminal. Close it in `afterEach`, or it outlives the test. */
export function openTerminal(options: TerminalOptions): PseudoTerminal {
    return new PseudoTerminal(options);
}

/** A program in a terminal: type to it, and wait for its output. */
export class PseudoTerminal {
    private readonly process: IPty;
    private readonly model: ScreenModel | ReflowingScreen;
    private readonly watchers = new Set<() => void>();
    private ended: TerminalExit | undefined;
    private received = "";
    /** How much of `received` is on the screen. */
    private shown = 0;
    private slowReading: NodeJS.Timeout | undefined;

    constructor({ command, args = [], cwd, env = process.env, ...size }: TerminalOptions) {
        const { columns = 80, rows = 24, term = "xterm-256color" } = size;
        this.model = new (size.reflows ? ReflowingScreen : ScreenModel)(columns, rows);
        const environment = {
            ...env,
            TERM: term,
            COLUMNS: undefined,
            LINES: undefined,
        };
        this.process = spawn(command, [...args], {
            name: term,
            cols: columns,
            rows,
            cwd: cwd ?? process.cwd(),
            env: defined(environment),
        });
        this.process.onData((data) => this.receive(data));
        this.process.onExit(({ exitCode, signal }) => {
            clearInterval(this.slowReading);
            this.ended = { exitCode, signal: signal ?? 0 };
            this.show(this.received.length);
        });
    }

    get pid(): number {
        return this.process.pid;
    }

    /** Sends characters in one chunk, as if typed very fast. */
    type(text: string): void {
        this.process.write(text);
    }

    /** Sends one key: `enter`, `ctrl-c`, `alt-b`, `up`, or any single character. */
    press(key: string): void {
        this.process.write(sequenceOf(key));
    }

    /** Sends text as a bracketed paste. */
    paste(text: string): void {
        this.process.write(`\u001b[200~${text.replaceAll("\n", "\r")}\u001b[201~`);
    }

    /** Resolves once the screen contains the text. Rejects with the screen after a timeout. */
    waitFor(text: string | RegExp): Promise<string> {
        return this.waitUntil((screen) => matches(screen, text), `"${String(text)}"`);
    }

    /** Resolves once the screen no longer contains the text. */
    waitForNo(text: string | RegExp): Promise<string> {
        return this.waitUntil((screen) => !matches(screen, text), `no "${String(text)}"`);
    }

    /** Resolves with the screen once `holds` is true. */
    waitUntil(holds: (screen: string) => boolean, what = "the condition"): Promise<string> {
        return new Promise((resolve, reject) => {
            const finish = (error?: Error): void => {
                clearTimeout(timer);
                this.watchers.delete(check);
                if (error) reject(error);
                else resolve(this.screen());
            };
            const check = (): void => {
                if (holds(this.screen())) finish();
                else if (this.ended) finish(this.failure(`The program ended before ${what}`));
            };
            const timer = setTimeout(
                () => finish(this.failure(`Waited ${PATIENCE_MS} ms for ${what}`)),
                PATIENCE_MS
            );
            this.watchers.add(check);
            check();
        });
    }

    /** The visible screen. */
    screen(): string {
        return this.model.screen();
    }

    /** All lines, including the scrollback. */
    transcript(): string {
        return this.model.transcript();
    }

    /** All output, including control sequences. */
    raw(): string {
        return this.received;
    }

    /** All lines with their colours. */
    styledTranscript(): ReturnType<ScreenModel["styledTranscript"]> {
        if (this.model instanceof ReflowingScreen) throw new Error("It knows no colours.");
        return this.model.styledTranscript();
    }

    /** The cursor's position on the visible screen, from 0. */
    cursor(): { readonly row: number; readonly column: number } {
        return this.model.cursor();
    }

    resize(columns: number, rows: number): void {
        this.model.resize(columns, rows);
        this.process.resize(columns, rows);
    }

    /** From now on reads only this many bytes every 10 ms, like a slow connection. */
    slowDown(bytes: number): void {
        const descriptor = this.stopReading();
        const decoder = new StringDecoder("utf8");
        const buffer = Buffer.alloc(bytes);
        this.slowReading = setInterval(() => {
            const length = readWhatIsThere(descriptor, buffer);
            if (length > 0) this.receive(decoder.write(buffer.subarray(0, length)));
        }, 10);
    }

    /** Resolves once the program has ended. */
    exit(): Promise<TerminalExit> {
        return new Promise((resolve, reject) => {
            const check = (): void => {
                if (!this.ended) return;
                clearTimeout(timer);
                this.watchers.delete(check);
                resolve(this.ended);
            };
            const timer = setTimeout(() => {
                this.watchers.delete(check);
                reject(this.failure(`Still running after ${PATIENCE_MS} ms`));
            }, PATIENCE_MS);
            this.watchers.add(check);
            check();
        });
    }

    /** Closes the terminal under the program, like closing its window. */
    hangUp(): void {
        Reflect.get(this.process, "destroy").call(this.process);
    }

    /** Kills the program if it still runs. */
    async close(): Promise<void> {
        if (!this.ended) this.process.kill("SIGKILL");
        await this.exit();
    }

    /** Stops reading, and returns the terminal's descriptor. */
    private stopReading(): number {
        this.process.pause();
        const socket: Readable = Reflect.get(this.process, "_socket");
        // A paused stream still reads ahead.
        this.receive(String(socket.read() ?? ""));
        Reflect.get(socket, "_handle").readStop();
        return Reflect.get(this.process, "fd");
    }

    private receive(data: string): void {
        this.received += data;
        // Show a frame only when complete, like a terminal with synchronized updates. A sequence
        // may be split between two chunks.
        const from = Math.max(0, this.shown - BEGIN_FRAME.length);
        const rest = this.received.slice(from);
        const begin = rest.lastIndexOf(BEGIN_FRAME);
        this.show(begin > rest.lastIndexOf(END_FRAME) ? from + begin : this.received.length);
    }

    private show(end: number): void {
        const text = this.received.slice(this.shown, end);
        this.shown = Math.max(this.shown, end);
        this.model.write(text, () => this.notify());
    }

    private notify(): void {
        for (const watcher of [...this.watchers]) watcher();
    }

    private failure(message: string): Error {
        return new Error(`${message}. The screen:\n${this.screen()}\n(end of screen)`);
    }
}

function readWhatIsThere(descriptor: number, buffer: Buffer): number {
    try {
        return readSync(descriptor, buffer, 0, buffer.length, null);
    } catch {
        // No data now, or closed.
        return 0;
    }
}

/** The bytes that a terminal sends for a key. */
export function sequenceOf(key: string): string {
    const known = KEYS[key];
    if (known !== undefined) return known;
    const control = /^ctrl-([a-z])$/.exec(key)?.[1];
    if (control) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
    const alt = /^alt-(.)$/.exec(key)?.[1];
    if (alt) return `\u001b${alt}`;
    if ([...key].length !== 1) throw new Error(`No such key: ${key}`);
    return key;
}

function matches(screen: string, text: string | RegExp): boolean {
    return typeof text === "string" ? screen.includes(text) : text.test(screen);
}

function defined(environment: Record<string, string | undefined>): Record<string, string> {
    return Object.fromEntries(
        Object.entries(environment).filter(
            (entry): entry is [string, string] => entry[1] !== undefined
        )
    );
}
