import { realpathSync } from "node:fs";
import { untilAborted } from "../base/waiting.js";
import { NorthError } from "../base/north-error.js";
import type { Job } from "../plugin/jobs.js";
import type { Shell, ShellOutcome, ShellRunOptions } from "../plugin/shell.js";
import { BackgroundJobs } from "./background-jobs.js";
import { CarriedState, SNAPSHOT } from "./carried-state.js";
import type { SessionState } from "./containment/containment.js";
import type { CommandResult, Session } from "./session.js";
import { stopFlags } from "./stop-reason.js";
import { isFolder, resolveInside } from "./working-folder.js";

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_TIMEOUT_MS = 600_000;
/** Timeout for North's own commands in the session. */
const STATE_MS = 5000;
/** Exit code after SIGINT. */
const INTERRUPTED = 130;

export interface OpenShellOptions {
    /** The repository root; sessions start here. */
    readonly root: string;
    /** Variables to hide from commands: provider keys. */
    readonly withheldVariables: readonly string[];
    /** Defaults to North's own environment. */
    readonly environment?: NodeJS.ProcessEnv;
}

/** A shell that its owner must dispose of. */
export interface OwnedShell extends Shell {
    /** The state a contained command starts with. */
    state(): Promise<SessionState>;
    /**
     * Adopts the folder and exports a contained command ended with. Returns the names of variables
     * withheld from commands that run for real.
     */
    adopt(folder: string, variables: ReadonlyMap<string, string | undefined>): readonly string[];
    readonly jobs: BackgroundJobs;
    start(
        command: string,
        options?: Pick<ShellRunOptions, "cwd">
    ): Promise<Job & { readonly ended: Promise<void> }>;
    /** Ends the session, its jobs and all their processes. `run` rejects afterwards. */
    dispose(): Promise<void>;
}

/** Lazy: starts nothing until the first command. */
export function openShell(options: OpenShellOptions): OwnedShell {
    return new PersistentShell({ ...options, root: realpathSync(options.root) });
}

/**
 * Keeps one session alive. A command with its own `cwd` never changes the session's folder; one
 * without may. If a command ends the session, the next one starts in the root. If the session ends
 * between commands, the next one starts in the folder announced for the next command, because that
 * was approved.
 */
class PersistentShell implements OwnedShell {
    readonly jobs = new BackgroundJobs();
    private readonly closing = new AbortController();
    private session: Session | undefined;
    private folder: string;
    private sessions = 0;
    private readonly carried: CarriedState;
    /** A command has run since the state was last read. */
    private isStateOld = false;
    /** Settles when the last queued command is done. */
    private tail: Promise<void> = Promise.resolve();

    constructor(private readonly options: OpenShellOptions) {
        this.folder = options.root;
        const { environment = process.env, withheldVariables } = options;
        this.carried = new CarriedState(environment, withheldVariables);
    }

    get cwd(): string {
        return isFolder(this.folder) ? this.folder : this.options.root;
    }

    async resolve(cwd?: string): Promise<string> {
        return cwd === undefined ? this.cwd : resolveInside(this.options.root, cwd);
    }

    async run(command: string, options: ShellRunOptions = {}): Promise<ShellOutcome> {
        this.throwIfUnfit(command);
        const turn = this.tail;
        const work = this.inTurn(() => this.runInTurn(command, options));
        const { signal } = options;
        if (!signal) return work;
        const unrun = await untilAborted(
            turn.then(() => undefined),
            signal,
            neverRun
        );
        return unrun ?? work;
    }

    /** Starts a job with the session's state, which it does not change. */
    async start(command: string, { cwd }: Pick<ShellRunOptions, "cwd"> = {}) {
        this.throwIfUnfit(command);
        this.jobs.requireRoom();
        const folder = await this.resolve(cwd);
        const { variables, definitions } = await this.state();
        const session = await this.newSession(folder, Object.fromEntries(variables));
        if (this.closing.signal.aborted) await session.end();
        this.throwIfClosed();
        return this.jobs.start(command, { session, folder, definitions });
    }

    state(): Promise<SessionState> {
        return this.inTurn(async () => {
            const { session, cwd } = this;
            if (session?.isUsable && this.isStateOld) {
                const request = { command: SNAPSHOT, folder: cwd, ...this.ownLimits };
                const result = await session.run(request);
                this.carried.take(result?.stdout ?? "");
                this.isStateOld = false;
            }
            return this.carried.stateIn(cwd);
        });
    }

    adopt(folder: string, variables: ReadonlyMap<string, string | undefined>): readonly string[] {
        // A command could have replaced it by a link.
        if (isFolder(folder) && realpathSync(folder) === folder) this.folder = folder;
        return this.carried.adopt(variables);
    }

    async dispose(): Promise<void> {
        this.closing.abort();
        await Promise.all([this.session?.end(), this.jobs.stopAll()]);
        await this.tail;
        // A session may have been starting meanwhile.
        await this.session?.end();
    }

    /** Runs one at a time. */
    private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
        const result = this.tail.then(work);
        this.tail = result.then(
            () => {},
            () => {}
        );
        return result;
    }

    private async runInTurn(command: string, options: ShellRunOptions): Promise<ShellOutcome> {
        const { lostFolder } = this;
        const folder = await this.resolve(options.cwd);
        const returnTo = options.cwd === undefined ? undefined : this.cwd;
        const { timeoutMs: wanted = DEFAULT_TIMEOUT_MS } = options;
        const timeoutMs = Math.min(Math.max(wanted, 1), MAX_TIMEOUT_MS);
        const { signal: closing } = this.closing;
        const signal = options.signal ? AbortSignal.any([closing, options.signal]) : closing;
        for (;;) {
            this.throwIfClosed();
            if (options.signal?.aborted) return neverRun();
            const { session, isFresh } = await this.liveSession();
            await this.updateSession(session, folder);
            this.isStateOld = true;
            const start = performance.now();
            const result = await session.run({
                command,
                folder,
                returnTo,
                timeoutMs,
                signal,
                onOutput: options.onOutput,
            });
            if (!result) continue;
            this.folder = result.folder ?? this.options.root;
            const outcome = outcomeOf(result, Math.round(performance.now() - start), isFresh);
            if (lostFolder === undefined || returnTo !== undefined) return outcome;
            const notice = `North: ${lostFolder} is gone; this ran in ${folder}.\n`;
            return { ...outcome, stderr: notice + outcome.stderr };
        }
    }

    private get ownLimits() {
        return { timeoutMs: STATE_MS, signal: this.closing.signal };
    }

    /** Passes on what contained commands exported. */
    private async updateSession(session: Session, folder: string): Promise<void> {
        const command = this.carried.takeUpdate();
        if (command !== undefined) await session.run({ command, folder, ...this.ownLimits });
    }

    /** The session's folder, if it no longer exists. */
    private get lostFolder(): string | undefined {
        return isFolder(this.folder) ? undefined : this.folder.replace(/ \(deleted\)$/, "");
    }

    private async liveSession(): Promise<{ session: Session; isFresh: boolean }> {
        if (this.session?.isUsable) return { session: this.session, isFresh: false };
        // Its background processes must be gone before the next session starts.
        await this.session?.end();
        this.throwIfClosed();
        this.session = await this.newSession(this.cwd);
        this.sessions += 1;
        return { session: this.session, isFresh: this.sessions > 1 };
    }

    private async newSession(
        folder: string,
        environment = this.options.environment ?? process.env
    ): Promise<Session> {
        const { startSession } = await import("./start-session.js");
        return startSession({ ...this.options, environment, folder });
    }

    private throwIfUnfit(command: string): void {
        this.throwIfClosed();
        if (!command.includes("\0")) return;
        throw new NorthError("invalid-command", "A command cannot contain a NUL character.");
    }

    private throwIfClosed(): void {
        if (!this.closing.signal.aborted) return;
        throw new NorthError("shell-unavailable", "The shell has been closed.");
    }
}

function neverRun(): ShellOutcome {
    return {
        stdout: "",
        stderr: "",
        exitCode: INTERRUPTED,
        durationMs: 0,
        truncated: false,
        cancelled: true,
    };
}

function outcomeOf(result: CommandResult, durationMs: number, isFresh: boolean): ShellOutcome {
    const { stdout, stderr, exitCode, truncated, stopped } = result;
    return {
        stdout,
        stderr,
        exitCode,
        durationMs,
        truncated,
        ...stopFlags(stopped),
        ...(isFresh && { freshSession: true }),
    };
}
