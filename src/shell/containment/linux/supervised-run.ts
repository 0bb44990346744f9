import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { isProcessAlive } from "../../../base/process-identity.js";
import { type Limits, SYSTEM_PATH } from "../containment.js";
import { childrenOf } from "./run-limits.js";
import { SUPERVISOR } from "./supervisor.js";

export interface SupervisedOptions {
    /** The base folder, in which process 1 starts. */
    readonly base: string;
    /** The run's own folder in it. */
    readonly run: string;
    readonly bash: string;
    readonly limits: Limits;
    /** Named pipes for what the command prints. */
    readonly pipes: readonly string[];
}

/** What process 1 says when the command is over and nothing of it is left. */
export interface Exit {
    readonly exitCode: number;
    /** The network's counters, as in `/proc/net/snmp` and `snmp6`. */
    readonly counters: string;
    /** A socket of the machine that was looked for. */
    readonly socket?: string;
}

/** One contained command with the process that looks after it. Ends with North, however that ends. */
export class SupervisedRun {
    private readonly child: ChildProcess;
    private readonly reports: Reports;
    private errors = "";
    /** Every process is gone, and so is every mount. */
    readonly closed: Promise<void>;

    constructor(options: SupervisedOptions) {
        const { base, run, bash, limits, pipes } = options;
        const { memoryMb, processes, writtenMb } = limits;
        const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
        this.child = spawn(
            "setpriv",
            [
                "--pdeathsig=KILL",
                ...["unshare", "--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc"],
                ...["--uts", "--fork", "--kill-child=KILL", "--mount-proc"],
                ...[bash, "--noprofile", "--norc", "-c", SUPERVISOR, "north"],
                ...[run, user, group, bash, writtenMb * 1024, processes, memoryMb * 1024].map(
                    String
                ),
                ...pipes,
            ],
            {
                cwd: base,
                // A session of its own: no terminal, and no signal to North's group reaches it.
                detached: true,
                env: { PATH: SYSTEM_PATH, LC_ALL: "C" },
                stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
            }
        );
        this.closed = new Promise((resolve) => {
            this.child.once("error", () => resolve());
            this.child.once("close", () => resolve());
        });
        this.child.stderr?.on("data", (bytes: Buffer) => (this.errors += bytes.toString()));
        this.reports = new Reports(this.child.stdio[3] as Readable, this.closed);
        this.orders.on("error", () => {});
    }

    /** Why what the command is to see could not be arranged; else it waits for `begin`. */
    async problem(): Promise<string | undefined> {
        const [log = "", word] = await this.reports.take(2);
        if (word === "ready") return undefined;
        const [reason] = await this.reports.take(1);
        await this.closed;
        return [reason, log.trim(), this.errors.trim()].filter((text) => text).join("; ");
    }

    begin(): void {
        this.orders.write("go\0");
    }

    /** `undefined` where it was killed. */
    async exit(): Promise<Exit | undefined> {
        const [, word, code, counters, socket] = await this.reports.take(5);
        if (word !== "exited" || counters === undefined) return undefined;
        const looked = socket?.trim() ? { socket: socket.trim() } : {};
        return { exitCode: Number(code), counters, ...looked };
    }

    /** Whether these are there for the command, in order. After `exit` only. */
    async areThere(places: readonly string[]): Promise<readonly boolean[]> {
        this.orders.end(places.map((place) => `${place}\0`).join(""));
        await this.closed;
        const answers = this.reports.rest;
        return answers.length === places.length ? [...answers].map((each) => each === "1") : [];
    }

    /** Lets process 1 go, and with it all that is mounted. */
    finish(): void {
        if (!this.orders.writableEnded) this.orders.end();
    }

    /**
     * Ends all of it at once. Process 1 first where it can be found: its parent outside ends only
     * when every other process of the namespace is gone, while it would not wait for them itself.
     */
    kill(): void {
        const { pid } = this.child;
        if (pid === undefined || !isProcessAlive(pid)) return;
        const first = this.firstProcess;
        if (first === undefined) this.child.kill("SIGKILL");
        else process.kill(first, "SIGKILL");
    }

    /** Process 1, as it is called outside. */
    get firstProcess(): number | undefined {
        const { pid } = this.child;
        return pid === undefined ? undefined : childrenOf(pid)[0];
    }

    private get orders(): Writable {
        return this.child.stdio[4] as Writable;
    }
}

/** Texts that end with NUL. */
class Reports {
    private received = Buffer.alloc(0);
    private wake = () => {};
    private isOver = false;

    constructor(stream: Readable, closed: Promise<void>) {
        stream.on("error", () => {});
        stream.on("data", (bytes: Buffer) => {
            this.received = Buffer.concat([this.received, bytes]);
            this.wake();
        });
        void closed.then(() => {
            this.isOver = true;
            this.wake();
        });
    }

    /** Fewer where the sender is gone. */
    async take(count: number): Promise<readonly string[]> {
        const taken: string[] = [];
        while (taken.length < count) {
            const end = this.received.indexOf(0);
            if (end >= 0) {
                taken.push(this.received.toString("utf8", 0, end));
                this.received = this.received.subarray(end + 1);
            } else if (this.isOver) {
                return taken;
            } else {
                await new Promise<void>((resolve) => (this.wake = resolve));
            }
        }
        return taken;
    }

    get rest(): string {
        return this.received.toString("latin1");
    }
}
