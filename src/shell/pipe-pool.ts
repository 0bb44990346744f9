import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { absoluteSearchPath } from "../base/search-path.js";

const BATCH = 8;

/** Named pipes for output, reused once they have no writer. */
export class PipePool {
    private readonly free: string[] = [];
    private made = 0;

    constructor(private readonly folder: string) {}

    /** Creates pipes in advance, together with `others`, in one process. */
    async fill(others: readonly string[] = []): Promise<void> {
        const paths = Array.from({ length: BATCH }, () =>
            path.join(this.folder, `output-${++this.made}`)
        );
        // Node has no mkfifo.
        const env = { PATH: absoluteSearchPath() };
        await promisify(execFile)("mkfifo", ["-m", "600", ...others, ...paths], { env });
        this.free.push(...paths);
    }

    async take(): Promise<string> {
        if (this.free.length === 0) await this.fill();
        const taken = this.free.shift();
        if (taken === undefined) throw new Error("The pool was emptied while it was filled.");
        return taken;
    }

    giveBack(pipe: string): void {
        this.free.unshift(pipe);
    }
}
