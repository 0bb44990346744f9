import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, fchmodSync, openSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { withStreams } from "../base/child-streams.js";
import { HAS_PROC } from "../base/process-identity.js";
import { absoluteSearchPath } from "../base/search-path.js";
import { shellUnavailable } from "./find-bash.js";

const BATCH = 4;
const FIRST_DESCRIPTOR = 10;
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** A pipe, and the path by which the children that North tells about it open it. */
export interface Pipe {
    readonly path: string;
    /** Keeps the pipe in existence; absent if it has a name. */
    readonly descriptor?: number;
}

interface PipePoolOptions {
    readonly bash: string;
    /** Where pipes have names, on systems without `/proc`. */
    readonly folder: string | undefined;
}

/** Pipes for output, reused once they have no writer. */
export class PipePool {
    private readonly free: Pipe[] = [];
    private readonly made: Pipe[] = [];
    private isClosed = false;

    constructor(private readonly options: PipePoolOptions) {}

    async take(): Promise<Pipe> {
        if (this.free.length === 0) {
            const pipes = await this.make();
            this.made.push(...pipes);
            this.free.push(...pipes);
        }
        const taken = this.free.shift();
        if (taken === undefined) throw new Error("The pool was emptied while it was filled.");
        // A command can change the mode of its own output.
        if (taken.descriptor !== undefined) fchmodSync(taken.descriptor, 0o600);
        return taken;
    }

    giveBack(pipe: Pipe): void {
        this.free.unshift(pipe);
    }

    close(): void {
        if (this.isClosed) return;
        this.isClosed = true;
        for (const { descriptor } of this.made) {
            if (descriptor !== undefined) closeSync(descriptor);
        }
    }

    private async make(): Promise<readonly Pipe[]> {
        const { bash, folder } = this.options;
        if (folder === undefined) return anonymousPipes(bash);
        const begin = this.made.length;
        const paths = Array.from({ length: BATCH }, (_, index) =>
            path.join(folder, `pipe-${begin + index}`)
        );
        // Node has no mkfifo.
        const env = { PATH: absoluteSearchPath() };
        await promisify(execFile)("mkfifo", ["-m", "600", ...paths], { env });
        return paths.map((each) => ({ path: each }));
    }
}

/** Whether pipes need no name in a folder. */
export const HAS_ANONYMOUS_PIPES = HAS_PROC;

/**
 * Security: whoever can open a session's pipe types into the session, and a read-only mount does
 * not prevent that. These pipes have no name in any folder, and a contained command does not see
 * North in its `/proc`. Node cannot create them, so a helper does, which keeps them until North has
 * opened them.
 */
async function anonymousPipes(bash: string): Promise<readonly Pipe[]> {
    const descriptors = Array.from({ length: BATCH }, (_, index) => FIRST_DESCRIPTOR + index);
    const script = [...descriptors.map((each) => `exec ${each}<> <(:)`), "echo $$; read -r"].join(
        "\n"
    );
    const helper = withStreams(
        spawn(bash, ["--noprofile", "--norc", "-c", script], {
            env: { PATH: absoluteSearchPath() },
            stdio: ["pipe", "pipe", "ignore"],
        })
    );
    const isOver = once(helper, "close").then(
        () => [],
        () => []
    );
    helper.stdin.on("error", () => {});
    try {
        const told: unknown[] = await Promise.race([once(helper.stdout, "data"), isOver]);
        const [pid] = /^\d+/.exec(String(told)) ?? [];
        if (pid === undefined) throw shellUnavailable();
        return descriptors.map((each) => {
            const descriptor = openSync(`/proc/${pid}/fd/${each}`, READ);
            return { descriptor, path: `/proc/${process.pid}/fd/${descriptor}` };
        });
    } finally {
        helper.stdin.end();
        await isOver;
    }
}
