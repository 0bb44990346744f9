import { realpathSync } from "node:fs";
import path from "node:path";
import { isFolder, isInside } from "../base/paths.js";
import { oneAtATime, untilAborted } from "../base/waiting.js";
import { NorthError } from "../base/north-error.js";
import type { Shell, ShellOutcome, ShellRunOptions } from "../plugin/index.js";
import { BackgroundJobs } from "./background-jobs.js";
import { CarriedState, SNAPSHOT, type StartState } from "./carried-state.js";
import type { Variables } from "./containment/clean-environment.js";
import type { CommandRequest, CommandResult, Session } from "./session.js";
import { stopFlags } from "./stop-reason.js";
import { isRealFolderIn, resolveInside } from "./working-folder.js";

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

export interface RealRunOptions extends ShellRunOptions {
    /** Variables that contained commands set, which the user approved for this command only. */
    readonly variables?: Variables;
    /** The user's own command: starts in the session's folder, wherever contained commands went. */
    readonly isOwn?: boolean;
}

/** Lazy: starts nothing until the first command. */
export function openShell(options: OpenShellOptions): OwnedShell {
    return new OwnedShell({ ...options, root: realpathSync(options.root) });
}

/**
 * Keeps one session alive; its owner must dispose of it. A command with its own `cwd` never changes
 * the session's folder; one without may. If a command ends the session, the next one starts in the
 * root. If the session ends between commands, the next one starts in the folder announced for the
 * next command, because that was approved.
 */
export class OwnedShell implements Shell {
    readonly jobs = new BackgroundJobs();
    private readonly closing = new AbortController();
    private session: Session | undefined;
    private folder: string;
    /** Where the next command of the model starts, if a contained one went there. */
    private containedFolder: string | undefined;
    /** Where the next command in a draft starts, if one went where only the draft has a folder. */
    private draftFolder: string | undefined;
    private sessions = 0;
    private readonly carried: CarriedState;
    /** A command has run since the state was last read. */
    private isStateOld = false;
    private readonly inTurn = oneAtATime();

    constructor(private readonly options: OpenShellOptions) {
        this.folder = options.root;
        const { environment = process.env, withheldVariables } = options;
        this.carried = new CarriedState(environment, withheldVariables);
    }

    get cwd(): string {
        const { containedFolder } = this;
        return containedFolder !== undefined && this.counts(containedFolder)
            ? containedFolder
            : this.sessionFolder;
    }

    /** Whether a contained command's folder is still one, and not a link in its place. */
    private counts(folder: string): boolean {
        return isRealFolderIn(this.options.root, folder);
    }

    private get sessionFolder(): string {
        return isFolder(this.folder) ? this.folder : this.options.root;
    }

    async resolve(cwd?: string): Promise<string> {
        return cwd === undefined ? this.cwd : resolveInside(this.options.root, cwd);
    }

    async run(command: string, options: RealRunOptions = {}): Promise<ShellOutcome> {
        this.throwIfUnfit(command);
        const turn = this.untilIdle();
        const work = this.inTurn(() => this.runInTurn(command, options));
        const { signal } = options;
        if (!signal) return work;
        const unrun = await untilAborted(turn, signal, neverRun);
        return unrun ?? work;
    }

    /** Starts a job with the session's state, which it does not change. */
    async start(
        command: string,
        { cwd, variables = new Map() }: Pick<RealRunOptions, "cwd" | "variables"> = {}
    ) {
        this.throwIfUnfit(command);
        this.jobs.requireRoom();
        const folder = await this.resolve(cwd);
        await this.inTurn(() => this.readState());
        const real = this.carried.realState(folder);
        const environment = Object.fromEntries([...real.variables, ...variables]);
        const session = await this.newSession(folder, environment);
        if (this.closing.signal.aborted) await session.end();
        this.throwIfClosed();
        return this.jobs.start(command, { session, folder, definitions: real.definitions });
    }

    /** The state a contained command of the model starts with, or `real`, one of North's own. */
    async state(of?: "real"): Promise<StartState> {
        await this.inTurn(() => this.readState());
        if (of === "real") return this.carried.realState(this.cwd);
        return this.carried.containedState(this.cwd);
    }

    /**
     * Adopts, for contained commands only, what one of them left; a folder may be invalid. One that
     * only a draft has counts for commands in drafts.
     */
    keepFromContained(
        variables: ReadonlyMap<string, string | undefined>,
        folder: string | undefined,
        sees?: "draft"
    ): void {
        this.carried.keepFromContained(variables);
        if (folder === undefined) return;
        const isReal = this.counts(folder);
        if (isReal) this.containedFolder = folder;
        const isDrafted = sees === "draft" && isInside(this.options.root, folder);
        this.draftFolder = isDrafted && !isReal ? folder : undefined;
    }

    /** The same shell for commands that see a draft; `hasFolder` tells what it has, by absolute path. */
    inDraft(hasFolder: (folder: string) => Promise<boolean>): Shell {
        const { root } = this.options;
        const folder = () => this.draftFolder ?? this.cwd;
        const resolve = async (cwd?: string) => {
            if (cwd === undefined) return folder();
            return resolveInside(root, cwd).catch(async (error: unknown) => {
                const drafted = path.resolve(root, cwd);
                if (!isInside(root, drafted) || !(await hasFolder(drafted))) throw error;
                return drafted;
            });
        };
        // Security: a real run fails in a folder that only the draft has, instead of going elsewhere.
        const own = <Options extends { readonly cwd?: string }>(options?: Options) => ({
            ...options,
            cwd: options?.cwd ?? this.draftFolder,
        });
        return {
            get cwd() {
                return folder();
            },
            resolve,
            run: (command, options) => this.run(command, own(options)),
            start: (command, options) => this.start(command, own(options)),
        };
    }

    async setByContained(): Promise<Variables> {
        await this.inTurn(() => this.readState());
        return this.carried.setByContained();
    }

    /** Ends the session, its jobs and all their processes. `run` rejects afterwards. */
    async dispose(): Promise<void> {
        this.closing.abort();
        await Promise.all([this.session?.end(), this.jobs.stopAll()]);
        await this.untilIdle();
        // A session may have been starting meanwhile.
        await this.session?.end();
    }

    /** Resolves when the commands queued so far are done. */
    private untilIdle(): Promise<undefined> {
        return this.inTurn(async () => undefined);
    }

    private async runInTurn(command: string, options: RealRunOptions): Promise<ShellOutcome> {
        const lostFolder = this.lostFolder(options);
        const begin = this.sessionFolder;
        const folder = options.isOwn ? begin : await this.resolve(options.cwd);
        const returnTo = options.cwd === undefined ? undefined : begin;
        const { timeoutMs: wanted = DEFAULT_TIMEOUT_MS } = options;
        const timeoutMs = Math.min(Math.max(wanted, 1), MAX_TIMEOUT_MS);
        const { signal: closing } = this.closing;
        const signal = options.signal ? AbortSignal.any([closing, options.signal]) : closing;
        for (;;) {
            this.throwIfClosed();
            if (options.signal?.aborted) return neverRun();
            const { session, isFresh } = await this.liveSession();
            const { onOutput } = options;
            const start = performance.now();
            const request = { command, folder, returnTo, timeoutMs, signal, onOutput };
            const result = await this.runWith(session, request, options.variables);
            if (!result) continue;
            this.folder = result.folder ?? this.options.root;
            // A command that goes somewhere takes the contained ones along.
            const isMoved = !options.isOwn || this.folder !== begin;
            if (returnTo === undefined && isMoved) {
                this.containedFolder = undefined;
                this.draftFolder = undefined;
            }
            const outcome = outcomeOf(result, Math.round(performance.now() - start), isFresh);
            if (lostFolder === undefined || returnTo !== undefined) return outcome;
            const notice = `North: ${lostFolder} is gone; this ran in ${folder}.\n`;
            return { ...outcome, stderr: notice + outcome.stderr };
        }
    }

    private get ownLimits() {
        return { timeoutMs: STATE_MS, signal: this.closing.signal };
    }

    /** Runs a command with variables that the session has for this command only. */
    private async runWith(
        session: Session,
        request: CommandRequest,
        variables: Variables = new Map()
    ): Promise<CommandResult | undefined> {
        if (variables.size > 0) await this.readState();
        this.isStateOld = true;
        if (variables.size === 0) return session.run(request);
        const { give, takeBack } = this.carried.loan(variables);
        const { folder } = request;
        await session.run({ command: give, folder, ...this.ownLimits });
        const result = await session.run(request);
        const rest = { command: takeBack, folder: result?.folder ?? folder, ...this.ownLimits };
        const taken = await session.run(rest);
        if (taken?.stopped) await session.end();
        return result;
    }

    private async readState(): Promise<void> {
        const { session, sessionFolder: folder } = this;
        if (!session?.isUsable || !this.isStateOld) return;
        const result = await session.run({ command: SNAPSHOT, folder, ...this.ownLimits });
        this.carried.take(result?.stdout ?? "");
        this.isStateOld = false;
    }

    /** The folder where the next command would start, if it no longer exists. */
    private lostFolder({ isOwn = false }: RealRunOptions): string | undefined {
        const contained = isOwn ? undefined : this.containedFolder;
        const folder = contained ?? this.folder;
        const isThere = contained === undefined ? isFolder(folder) : this.counts(folder);
        return isThere ? undefined : folder.replace(/ \(deleted\)$/, "");
    }

    private async liveSession(): Promise<{ session: Session; isFresh: boolean }> {
        if (this.session?.isUsable) return { session: this.session, isFresh: false };
        // Its background processes must be gone before the next session starts.
        await this.session?.end();
        this.throwIfClosed();
        this.session = await this.newSession(this.sessionFolder);
        this.sessions += 1;
        this.isStateOld = true;
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
