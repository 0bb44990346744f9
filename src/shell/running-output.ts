import { closeSync, constants, openSync, readSync } from "node:fs";
import net from "node:net";
import { attempt } from "../base/attempt.js";
import type { ShellRunOptions } from "../plugin/shell.js";
import { BoundedOutput } from "./bounded-output.js";
import type { Pipe, PipePool } from "./pipe-pool.js";

export type OutputListener = NonNullable<ShellRunOptions["onOutput"]>;

export interface Printed {
    readonly stdout: string;
    readonly stderr: string;
    readonly truncated: boolean;
}

interface OutputOptions {
    readonly listener?: OutputListener | undefined;
    /** The file that bash reads the command from, and begins its errors with. */
    readonly script?: string | undefined;
}

export class RunningOutput {
    private readonly stdout = new BoundedOutput();
    private readonly stderr = new BoundedOutput();
    readonly pipes: readonly [OutputPipe, OutputPipe];

    /** Uses pipes from a pool; they are returned once they have no writer. */
    static async open(pool: PipePool, options: OutputOptions = {}): Promise<RunningOutput> {
        return new RunningOutput(pool, [await pool.take(), await pool.take()], options);
    }

    private constructor(pool: PipePool, [stdout, stderr]: [Pipe, Pipe], options: OutputOptions) {
        this.pipes = [
            new OutputPipe(stdout, collector("stdout", this.stdout, options)),
            new OutputPipe(stderr, collector("stderr", this.stderr, options)),
        ];
        for (const pipe of this.pipes) void pipe.closed.then(() => pool.giveBack(pipe.pipe));
    }

    /** Gives up North's own ends for writing, once the command has its own. */
    release(): void {
        for (const pipe of this.pipes) pipe.release();
    }

    /** Resolves when there is no writer; a shell that has not reported by then may be gone. */
    get closed(): Promise<unknown> {
        return Promise.all(this.pipes.map((pipe) => pipe.closed));
    }

    /** Takes the remaining output; anything later is discarded. */
    finish(): Printed {
        for (const pipe of this.pipes) pipe.finish();
        return {
            stdout: this.stdout.text(),
            stderr: this.stderr.text(),
            truncated: this.stdout.truncated || this.stderr.truncated,
        };
    }
}

/** Bash's errors as they are without a file: `bash: line 1: x: command not found`. */
function withoutScript(bytes: Buffer, script: string | undefined): Buffer {
    if (script === undefined || !bytes.includes(script)) return bytes;
    const [own, usual] = [`\n${script}: line `, "\nbash: line "];
    const text = `\n${bytes.toString("latin1")}`.replaceAll(
        Buffer.from(own).toString("latin1"),
        usual
    );
    return Buffer.from(text.slice(1), "latin1");
}

export function collector(
    stream: "stdout" | "stderr",
    output: BoundedOutput,
    { listener, script }: OutputOptions
) {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return (raw: Buffer) => {
        const bytes = withoutScript(raw, script);
        output.push(bytes);
        if (!listener) return;
        const text = decoder.decode(bytes, { stream: true });
        if (text === "") return;
        try {
            listener({ stream, text });
        } catch {
            // By contract, listeners must not disturb the command.
        }
    };
}

/** More than the largest pipe buffer; bounds the wait for a job that never stops printing. */
const MAX_LEFT = 2 * 1024 * 1024;

/** Keeps draining without a listener: a background job must neither block nor die of SIGPIPE. */
export class OutputPipe {
    private readonly descriptor: number;
    private readonly socket: net.Socket;
    private listener: ((bytes: Buffer) => void) | undefined;
    /** Resolves when the last writer is gone, or after `close`. */
    readonly closed: Promise<void>;
    /** For a child to inherit. Without any writer an anonymous pipe would end before it begins. */
    readonly writer: number;
    private isReleased = false;

    constructor(
        readonly pipe: Pipe,
        listener: (bytes: Buffer) => void
    ) {
        this.listener = listener;
        this.descriptor = openSync(pipe.path, constants.O_RDONLY | constants.O_NONBLOCK);
        this.writer = openSync(pipe.path, constants.O_WRONLY);
        this.socket = openSocket(this.descriptor);
        this.socket.on("data", (bytes: Buffer) => this.listener?.(bytes));
        this.socket.on("error", () => this.socket.destroy());
        this.closed = new Promise((resolve) => this.socket.once("close", () => resolve()));
    }

    get isClosed(): boolean {
        return this.socket.destroyed || this.socket.readableEnded;
    }

    release(): void {
        if (!this.isReleased) closeSync(this.writer);
        this.isReleased = true;
    }

    /** Delivers the buffered bytes synchronously, then detaches the listener. */
    finish(): void {
        this.release();
        const buffer = Buffer.alloc(65_536);
        for (let total = 0; total < MAX_LEFT && !this.isClosed;) {
            const length = this.readNow(buffer);
            if (length === undefined) break;
            // The pipe has no writer.
            if (length === 0) this.socket.destroy();
            this.listener?.(buffer.subarray(0, length));
            total += length;
        }
        this.listener = undefined;
    }

    close(): void {
        this.release();
        this.listener = undefined;
        this.socket.destroy();
    }

    /** Returns 0 at the end; `undefined` if nothing is available yet. */
    private readNow(buffer: Buffer): number | undefined {
        return attempt(() => readSync(this.descriptor, buffer));
    }
}

function openSocket(descriptor: number): net.Socket {
    try {
        return new net.Socket({ fd: descriptor, readable: true, writable: false });
    } catch (error) {
        closeSync(descriptor);
        throw error;
    }
}
