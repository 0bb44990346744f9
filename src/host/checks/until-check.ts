import { counted } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import type { AgentEvent } from "../../core/agent/events.js";
import {
    type ContainedResult,
    type ContainedRuns,
    containsFirst,
} from "../../core/approval/contained-runs.js";
import type { Check, CheckContext, Shell, TurnGoal } from "../../plugin/index.js";
import { onlyReads } from "../../plugin/modes.js";

const LIMIT_MS = 600_000;
/** Below the check's limit, so that the model gets the outcome instead of a failed check. */
const COMMAND_LIMIT_MS = LIMIT_MS - 10_000;
const MAX_OUTPUT_CHARACTERS = 8_000;

export interface UntilHost {
    readonly root: string;
    readonly contained: ContainedRuns;
    readonly shell: Shell;
    /** The user can continue right here. */
    readonly isInteractive: boolean;
    /** Stores the exit code as evidence. */
    note(command: string, exitCode: number): void;
}

/** Ends a turn only once a command has exited with 0, as seen by the host itself. */
export class UntilCheck implements Check {
    readonly name: string;
    readonly timeLimitMs = LIMIT_MS;
    private attempts = 0;
    private isMet = false;
    private isBlind = false;

    constructor(
        readonly goal: TurnGoal,
        private readonly host: UntilHost
    ) {
        this.name = `until ${goal.command}`;
    }

    beginTurn(): void {
        this.attempts = 0;
        this.isMet = false;
        this.isBlind = false;
    }

    async afterTurn(_answer: string, { mode, signal }: CheckContext) {
        // There the model cannot change anything.
        this.isMet = onlyReads(mode);
        if (this.isMet) return undefined;
        const { command, maxAttempts } = this.goal;
        const isContained = await this.canContain();
        // For real it would judge, and might change, the project instead.
        this.isBlind = mode === "draft" && !isContained;
        if (this.isBlind) return undefined;
        const { outcome, needs, shellChanged } = await this.run(isContained, signal);
        this.isMet = outcome.exitCode === 0 && !outcome.timedOut && !outcome.cancelled;
        if (!shellChanged) this.host.note(command, outcome.exitCode);
        if (this.isMet) return { note: `\`${command}\` passed.` };
        if (this.attempts >= maxAttempts) return undefined;
        this.attempts += 1;
        const end = outcome.timedOut ? "timed out" : `exited with ${outcome.exitCode}`;
        const lines = [
            `\`${command}\` must exit with 0, but ${end} (attempt ${this.attempts} of ${maxAttempts}).`,
            ...(needs === undefined ? [] : [`It runs contained. ${needs}.`]),
            "Its output:",
            `${outcome.stdout}\n${outcome.stderr}`.trim().slice(-MAX_OUTPUT_CHARACTERS),
        ];
        const again = `the model tries again (${this.attempts} of ${maxAttempts})`;
        return { continueWith: lines.join("\n"), note: `\`${command}\` ${end}; ${again}.` };
    }

    /** Turns the end of a turn into a failure if the command has not passed. */
    judge(event: AgentEvent): AgentEvent {
        if (event.type !== "turn-finished" || event.outcome.stopReason !== "end") return event;
        if (this.isMet) return event;
        const error = this.failure();
        return { type: "turn-finished", outcome: { ...event.outcome, stopReason: "error", error } };
    }

    private failure(): NorthError {
        const { command } = this.goal;
        if (this.isBlind) {
            return new NorthError(
                "until-failed",
                `\`${command}\` was not run: it would not see the draft.`,
                [
                    "Commands see a draft only where they run contained; `north doctor` says what that needs.",
                    "In agent mode the command runs on the project.",
                ]
            );
        }
        return new NorthError(
            "until-failed",
            `\`${command}\` still fails after ${counted(this.attempts, "attempt")}.`,
            [
                this.host.isInteractive
                    ? "Say what to try, or allow more attempts: `/until CMD --max N`."
                    : "Resume the conversation and say what to try. In the chat, `/until CMD --max N` allows more attempts.",
            ]
        );
    }

    private async canContain(): Promise<boolean> {
        const { contained } = this.host;
        return containsFirst(contained.mode) && (await contained.unavailable()) === undefined;
    }

    private async run(
        isContained: boolean,
        signal: AbortSignal
    ): Promise<Pick<ContainedResult, "outcome" | "needs" | "shellChanged">> {
        const { root, contained, shell } = this.host;
        const { command } = this.goal;
        const options = { timeoutMs: COMMAND_LIMIT_MS, signal };
        // The user typed the command, but the model may have written what it runs.
        if (isContained || contained.mode === "required") {
            return contained.run(command, root, { ...options, isOwn: true });
        }
        return { outcome: await shell.run(command, { ...options, cwd: root }) };
    }
}
