import type { ShellRunOptions } from "../plugin/shell.js";
import { BoundedOutput } from "./bounded-output.js";
import { OutputPipe } from "./output-pipe.js";
import type { PipePool } from "./pipe-pool.js";

type Listener = NonNullable<ShellRunOptions["onOutput"]>;

export interface Printed {
    readonly stdout: string;
    readonly stderr: string;
    readonly truncated: boolean;
}

/** The two outputs of the command that runs. */
export class RunningOutput {
    private readonly stdout = new BoundedOutput();
    private readonly stderr = new BoundedOutput();
    readonly pipes: readonly [OutputPipe, OutputPipe];

    /** By pipes of a pool, which gets them back when nobody writes to them any more. */
    static async open(pool: PipePool, listener?: Listener): Promise<RunningOutput> {
        return new RunningOutput(pool, [await pool.take(), await pool.take()], listener);
    }

    private constructor(pool: PipePool, [stdout, stderr]: [string, string], listener?: Listener) {
        this.pipes = [
            new OutputPipe(stdout, collector("stdout", this.stdout, listener)),
            new OutputPipe(stderr, collector("stderr", this.stderr, listener)),
        ];
        for (const pipe of this.pipes) void pipe.closed.then(() => pool.giveBack(pipe.path));
    }

    /** Nobody writes any more; a shell that has not reported by now may be gone. */
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

export function collector(stream: "stdout" | "stderr", output: BoundedOutput, listener?: Listener) {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return (bytes: Buffer) => {
        output.push(bytes);
        if (!listener) return;
        const text = decoder.decode(bytes, { stream: true });
        if (text === "") return;
        try {
            listener({ stream, text });
        } catch {
            // By contract: whoever watches must not disturb the command.
        }
    };
}
