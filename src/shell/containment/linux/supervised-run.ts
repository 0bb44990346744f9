import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { withStreams } from "../../../base/child-streams.js";
import { isProcessAlive } from "../../../base/process-identity.js";
import { signal } from "../../session-processes.js";
import { SYSTEM_PATH } from "../containment.js";
import { differenceOf, type Mount } from "./mount-table.js";
import { failed } from "./supervision.js";
import { childrenOf } from "./usage.js";

/** The supervisor's report, once the command and all its processes are gone. */
interface Exit {
    readonly exitCode: number;
    /** Network counters, as in `/proc/net/snmp` and `snmp6`. */
    readonly counters: string;
    /** A host socket the command tried to use. */
    readonly socket?: string;
}

/** A contained command with its supervisor. It dies with North, even if North is killed. */
export class SupervisedRun {
    private readonly child: ChildProcess;
    private readonly reports: SupervisorReports;
    private errors = "";
    /** Resolves once all processes and mounts are gone. */
    readonly closed: Promise<void>;

    constructor(options: {
        /** The base folder; the supervisor's working folder. */
        readonly base: string;
        /** The supervisor, which reports on descriptor 3 and takes orders on 4. */
        readonly command: readonly string[];
        /** Descriptors of pipes for the command's output, which it inherits. */
        readonly outputs: readonly number[];
    }) {
        const { base, command, outputs } = options;
        const [program = "", ...args] = command;
        this.child = withStreams(
            spawn(program, args, {
                cwd: base,
                // Its own session: no terminal, and no signals sent to North's group.
                detached: true,
                env: { PATH: SYSTEM_PATH, LC_ALL: "C" },
                stdio: ["ignore", "ignore", "pipe", "pipe", "pipe", ...outputs],
            })
        );
        this.closed = new Promise((resolve) => {
            this.child.once("error", () => resolve());
            this.child.once("close", () => resolve());
        });
        this.child.stderr?.on("data", (bytes: Buffer) => (this.errors += bytes.toString()));
        this.reports = new SupervisorReports(this.child.stdio[3] as Readable, this.closed);
        this.orders.on("error", () => {});
    }

    /** Returns why the view could not be set up, or `undefined` once it waits for `begin`. */
    async problem(mounts: readonly Mount[] = []): Promise<string | undefined> {
        const [log = "", word, reason] = await this.reports.take(3);
        if (word === "ready") {
            const difference = differenceOf(mounts, reason ?? "");
            if (difference === undefined) return undefined;
            await this.stop();
            return difference;
        }
        await this.closed;
        return [reason, log.trim(), this.errors.trim()].filter((text) => text).join("; ");
    }

    begin(): void {
        this.orders.write("go\0");
    }

    /** Resolves with `undefined` if it was killed. */
    async exit(): Promise<Exit | undefined> {
        const [, word, code, counters, socket] = await this.reports.take(5);
        if (word !== "exited" || counters === undefined) return undefined;
        const looked = socket?.trim() ? { socket: socket.trim() } : {};
        return { exitCode: Number(code), counters, ...looked };
    }

    /** Whether these paths exist for the command, in order. Call between `exit` and `finish`. */
    async areThere(paths: readonly Buffer[]): Promise<readonly boolean[]> {
        this.orders.write(Buffer.concat(paths.flatMap((path) => [path, Buffer.of(0)])));
        const answers = await this.reports.take(paths.length);
        if (answers.length < paths.length) {
            throw failed("it was killed while its effects were read");
        }
        return answers.map((answer) => answer === "1");
    }

    /** Lets the supervisor exit, which unmounts everything. */
    finish(): void {
        if (!this.orders.writableEnded) this.orders.end();
    }

    /**
     * Kills everything at once, the supervisor (PID 1) first if possible: its parent outside exits
     * only when the namespace is empty, but would not wait if killed itself.
     */
    kill(): void {
        const { pid } = this.child;
        if (pid === undefined || !isProcessAlive(pid)) return;
        const first = this.firstProcess;
        if (first === undefined) this.child.kill("SIGKILL");
        else signal(first, "SIGKILL");
    }

    /** Kills what is left and waits until all of it is gone. */
    stop(): Promise<void> {
        this.kill();
        return this.closed;
    }

    /** The supervisor's PID outside the namespace. */
    get firstProcess(): number | undefined {
        const { pid } = this.child;
        return pid === undefined ? undefined : childrenOf(pid)[0];
    }

    private get orders(): Writable {
        return this.child.stdio[4] as Writable;
    }
}

/** Reads NUL-terminated strings. */
class SupervisorReports {
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

    /** Returns fewer if the sender is gone. */
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
}
