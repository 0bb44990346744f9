import { attempt } from "../base/attempt.js";
import { isProcessAlive } from "../base/process-identity.js";
import { absoluteSearchPath } from "../base/search-path.js";
import { sleep, within } from "../base/waiting.js";
import { randomBytes } from "node:crypto";
import { existsSync, readlinkSync } from "node:fs";
import type { ShellRunOptions } from "../plugin/shell.js";
import type { CommandEnd, ControlChannel } from "./control-channel.js";
import { processIds } from "./process-table.js";
import { quote } from "../base/shell-quote.js";
import { type OutputPipe, type Printed, RunningOutput } from "./running-output.js";
import type { SessionFiles } from "./session-files.js";
import { type SessionProcesses, signal } from "./session-processes.js";
import type { SessionTerminal } from "./session-terminal.js";
import { type StopCause, stopOf } from "./stop-reason.js";

/** Grace period between signalling and killing processes. */
const GRACE_MS = 2000;
/** Between two looks for processes that keep the shell from reporting. */
const LOOK_MS = 20;
/** For the report, once the processes of its command are gone; generous for a busy machine. */
const REPORT_MS = 1000;
const PREPARE_MS = 10_000;

/**
 * Security: an interactive shell runs what these variables say at its next prompt, which nobody
 * sees. Repeated after each command, since a command may set them.
 */
const QUIET_PROMPT =
    "\\builtin shopt -u promptvars; \\builtin unset -v PROMPT_COMMAND PS0 MAIL MAILPATH MAILCHECK TMOUT";

/** No history or prompts, and reads return at once, so that password prompts fail. */
const PREPARATION = [
    "\\builtin set +o history +H; \\builtin unset HISTFILE; PS1= PS2=",
    QUIET_PROMPT,
    `PATH=${quote(absoluteSearchPath())} \\stty -icanon -echo min 0 time 0 </dev/tty`,
];

interface SessionParts {
    readonly files: SessionFiles;
    readonly terminal: SessionTerminal;
    readonly control: ControlChannel;
    readonly processes: SessionProcesses;
    readonly dismissWatchdog: () => void;
}

export interface CommandRequest {
    readonly command: string;
    readonly folder: string;
    /** The folder to return to; if absent, the shell stays where the command ends. */
    readonly returnTo?: string;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly onOutput?: ShellRunOptions["onOutput"];
}

export interface CommandResult extends Printed {
    readonly exitCode: number;
    readonly stopped?: StopCause;
    /** The shell's current folder; `undefined` once the shell is gone. */
    readonly folder: string | undefined;
}

type SessionEnding = CommandEnd | { readonly exitCode: number; readonly folder: undefined };

/** One bash that runs commands until a command or `end` terminates it. */
export class Session {
    private readonly pipes = new Set<OutputPipe>();
    private hasExited = false;
    private ending: Promise<void> | undefined;

    constructor(private readonly parts: SessionParts) {
        void parts.terminal.exit.then(() => {
            this.hasExited = true;
            return this.end();
        });
    }

    /** Also false if the pipes were removed: no command could report its end. */
    get isUsable(): boolean {
        if (this.hasExited || this.ending || !isProcessAlive(this.parts.terminal.pid)) return false;
        return existsSync(this.parts.files.input.path);
    }

    /** Prepares the shell; resolves with whether it is ready. */
    async prepare(): Promise<boolean> {
        const nonce = newNonce();
        const ready = this.parts.control.expect(nonce).over.then(() => true);
        this.parts.control.send([...PREPARATION, ...this.parts.control.reportLines(nonce)]);
        const gone = this.parts.terminal.exit.then(() => false);
        return within(PREPARE_MS, Promise.race([ready, gone]), () => false);
    }

    /** Resolves with `undefined` if the session ended before the command started. */
    async run(request: CommandRequest): Promise<CommandResult | undefined> {
        if (!this.isUsable) return undefined;
        const before = await processIds();
        const output = await this.openOutput(request.onOutput);
        if (!this.isUsable) {
            output.finish();
            return undefined;
        }
        this.parts.files.writeCommand(`${request.command}\n`);
        const nonce = newNonce();
        const { begun, over } = this.parts.control.expect(nonce);
        const ending: Promise<SessionEnding> = Promise.race([
            over,
            this.parts.terminal.exit.then((exitCode) => ({ exitCode, folder: undefined })),
        ]);
        const { control } = this.parts;
        const reportLines = control.reportLines(nonce, [QUIET_PROMPT, ...returnLines(request)]);
        // On the command's own line, so that the shell does not prompt in between.
        const line = `${this.commandLine(request, output, nonce)}; ${control.reportCode(nonce)}; ${QUIET_PROMPT}`;
        control.send([line, ...reportLines]);
        void begun.then(() => output.release());
        void this.noticeExit(output, ending);
        const stopped = await stopOf(ending, request);
        if (stopped) {
            // Wait for the start: an earlier interrupt would hit the shell reading the line, and
            // the command would run later.
            await within(GRACE_MS, Promise.race([begun, ending]), () => {});
            await this.interrupt(before, ending, reportLines);
        }
        const { exitCode, folder } = await ending;
        return {
            ...output.finish(),
            exitCode,
            stopped,
            folder: folder === undefined ? undefined : (this.realFolder() ?? folder),
        };
    }

    /** Ends the shell and everything it started, within 2.5 s. */
    end(): Promise<void> {
        this.ending ??= this.shutDown();
        return this.ending;
    }

    private async openOutput(listener: ShellRunOptions["onOutput"]): Promise<RunningOutput> {
        const output = await RunningOutput.open(this.parts.files.pool, { listener });
        for (const pipe of output.pipes) {
            this.pipes.add(pipe);
            void pipe.closed.then(() => this.pipes.delete(pipe));
        }
        return output;
    }

    /** The held terminal delays exit notices, so poll the shell once its output has no writer. */
    private async noticeExit(output: RunningOutput, ending: Promise<SessionEnding>): Promise<void> {
        const { terminal } = this.parts;
        let isOver = false;
        void ending.then(() => (isOver = true));
        await output.closed;
        for (let look = 0; look < 20 && !isOver; look++) {
            if (!isProcessAlive(terminal.pid)) return terminal.letGo();
            await sleep(5);
        }
    }

    /** Sourced from a file: keeps declarations, at any length. Begins once it has its output. */
    private commandLine({ folder }: CommandRequest, output: RunningOutput, nonce: string): string {
        const { control, files } = this.parts;
        const [stdout, stderr] = output.pipes.map(({ pipe }) => `>|${quote(pipe.path)}`);
        const path = quote(folder);
        const run = `\\builtin . ${quote(files.commandPath)}`;
        const refuse = `\\builtin echo 'North: cannot enter' ${path} >&2; \\builtin false`;
        const enter = `[[ . -ef ${path} ]] || \\builtin cd -P -- ${path} 2>/dev/null`;
        const begin = control.beginCommand(nonce);
        return `{ if ${begin}; ${enter}; then ${run}; else ${refuse}; fi; } </dev/null ${stdout} 2${stderr}`;
    }

    /** Ends the running command and its children; kills the shell only if it does not respond. */
    private async interrupt(
        before: ReadonlySet<number>,
        ending: Promise<SessionEnding>,
        reportLines: readonly string[]
    ): Promise<void> {
        const { processes, terminal, control } = this.parts;
        const isOver = ending.then(() => true);
        const deadline = performance.now() + GRACE_MS;
        const remaining = () => deadline - performance.now();
        signal(terminal.pid, "SIGINT");
        signal(terminal.pid, "SIGCONT");
        // If the command had just ended, the interrupt hit the shell's report instead: ask again.
        control.send(reportLines);
        // The shell waits for a process that it was just starting: look again until it reports.
        do await processes.endSince(before, ["SIGINT", "SIGTERM", "SIGCONT"], remaining());
        while (remaining() > 0 && !(await within(LOOK_MS, isOver, () => false)));
        if (await within(REPORT_MS, isOver, () => false)) return;
        signal(terminal.pid, "SIGKILL");
        await within(REPORT_MS, isOver, () => {});
    }

    private async shutDown(): Promise<void> {
        const { processes, terminal, control, dismissWatchdog, files } = this.parts;
        await processes.endAll(["SIGHUP", "SIGTERM", "SIGCONT"], GRACE_MS).catch(() => {});
        terminal.letGo();
        await within(REPORT_MS, terminal.exit, () => {});
        for (const pipe of this.pipes) pipe.close();
        control.close();
        dismissWatchdog();
        await files.close();
    }

    /** The kernel's answer overrides the shell's, which may be outdated or forged. */
    private realFolder(): string | undefined {
        return attempt(() => readlinkSync(`/proc/${this.parts.terminal.pid}/cwd`));
    }
}

function returnLines({ returnTo }: CommandRequest): string[] {
    return returnTo === undefined
        ? []
        : [`\\builtin cd -P -- ${quote(returnTo)} || \\builtin true`];
}

function newNonce(): string {
    return randomBytes(16).toString("hex");
}
