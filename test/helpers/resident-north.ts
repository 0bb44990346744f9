import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";

const RESIDENT = fileURLToPath(new URL("resident.js", import.meta.url));
/** Node and the system's libraries read these only once. */
const READ_ONCE = /^(?:NODE|UV|LD|LC|SSL)_|^(?:LANG|TZ)$/;

export interface ProgramEnd {
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly stdout: string;
    readonly stderr: string;
}

interface Run {
    readonly argv: readonly string[];
    readonly cwd: string;
    /** The whole environment. */
    readonly env: Readonly<Record<string, string>>;
    /** Whether its plugins' code stays as it is, and may remember earlier runs. */
    readonly keepsPlugins: boolean;
}

/** One a test process, so that its files share it. */
let resident: Resident | undefined;

/**
 * Runs the program in a process that earlier runs have used, at a third of the cost: resident.js.
 * Returns `undefined` while it is in use.
 */
export function runInResident(program: string, run: Run) {
    if (resident?.isBusy) return undefined;
    const env = Object.fromEntries(
        Object.entries(run.env).filter(([name]) => READ_ONCE.test(name))
    );
    const kind = JSON.stringify([program, env]);
    if (resident?.kind !== kind || resident.hasEnded) {
        resident?.kill();
        resident = new Resident(kind, program, env);
    }
    const used = resident;
    return { ended: used.run(run), kill: () => used.kill() };
}

class Resident {
    isBusy = false;
    hasEnded = false;
    private readonly child: ChildProcess;
    private readonly closed: Promise<Pick<ProgramEnd, "code" | "signal">>;

    constructor(
        readonly kind: string,
        program: string,
        env: Run["env"]
    ) {
        this.child = spawn(process.execPath, [RESIDENT, program], {
            cwd: "/",
            env: { ...env },
            stdio: ["ignore", "pipe", "pipe", "pipe"],
        });
        this.child.on("exit", () => (this.hasEnded = true));
        this.closed = once(this.child, "close").then(([code, signal]) => ({ code, signal }));
        // It may end while it is told to run.
        this.child.stdio[3]?.on("error", () => {});
        this.keepsTestsAlive(false);
    }

    async run(run: Run): Promise<ProgramEnd> {
        this.isBusy = true;
        this.keepsTestsAlive(true);
        const mark = `\0${randomUUID()}\0`;
        const [, output, errors, control] = this.child.stdio as readonly unknown[] as [
            null,
            Duplex,
            Duplex,
            Duplex,
        ];
        const [stdout, stderr, code] = [
            until(output, mark),
            until(errors, mark),
            until(control, "\n"),
        ];
        control.write(`${JSON.stringify({ ...run, mark })}\n`);
        const finished = Promise.all([stdout.found, stderr.found, code.found]);
        const end = await Promise.race([
            this.closed,
            finished.then(() => ({ code: Number(code.text()), signal: null })),
        ]);
        this.keepsTestsAlive(false);
        this.isBusy = false;
        return { ...end, stdout: stdout.text(), stderr: stderr.text() };
    }

    kill(): void {
        this.child.kill("SIGKILL");
    }

    private keepsTestsAlive(does: boolean): void {
        const method = does ? "ref" : "unref";
        for (const handle of [this.child, ...this.child.stdio]) {
            if (handle) Reflect.get(handle, method).call(handle);
        }
    }
}

/** Collects a stream up to a mark. */
function until(stream: Duplex, mark: string) {
    const chunks: Buffer[] = [];
    let tail = "";
    const found = new Promise<void>((resolve) => {
        const take = (chunk: Buffer): void => {
            chunks.push(chunk);
            tail = (tail + chunk.toString("latin1")).slice(-mark.length);
            if (tail !== mark) return;
            stream.off("data", take);
            resolve();
        };
        stream.on("data", take);
    });
    return { found, text: () => Buffer.concat(chunks).toString("utf8").replace(mark, "") };
}
