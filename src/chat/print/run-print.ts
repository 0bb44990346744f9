import { formatDuration } from "../../base/format.js";
import type { Mode } from "../../plugin/index.js";
import type { AgentEvent, TurnOutcome } from "../../core/agent/events.js";
import type { SendOptions, Session } from "../../core/session.js";
import { safeLine, stripControls } from "../terminal/safe-text.js";
import { failureOf, resultOf, type PrintResult } from "./result.js";

export type OutputFormat = "text" | "json" | "stream-json";

/** Where print mode writes. */
export interface PrintStreams {
    readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
    readonly stderr: { write(text: string): unknown };
}

export interface PrintOptions extends PrintStreams {
    readonly format: OutputFormat;
    readonly mode: Mode;
    readonly signal: AbortSignal;
    /** The part of the prompt that was typed, where something was piped in beside it. */
    readonly typed?: string;
    /** Milliseconds since some moment in the past. */
    now(): number;
}

/** Runs one turn without asking anything; resolves with the exit code. */
export async function runPrint(
    session: Session,
    prompt: string,
    options: PrintOptions
): Promise<number> {
    const begin = options.now();
    let outcome: TurnOutcome | undefined;
    for await (const event of session.send(prompt, sendOptions(options))) {
        if (event.type === "turn-finished") outcome = event.outcome;
        else report(event, options);
    }
    const facts = {
        conversationId: session.conversationId,
        model: session.services.models.current().id,
        mode: options.mode,
        durationMs: Math.round(options.now() - begin),
    };
    const result = outcome
        ? resultOf(outcome, facts)
        : failureOf(new Error("The turn ended without an outcome."), facts);
    return finish(result, options);
}

function sendOptions({ signal, typed }: PrintOptions): SendOptions {
    return { signal, ...(typed === undefined ? {} : { typed }) };
}

/** Reports a failure that happened before there was a session. */
export function printFailure(
    error: unknown,
    { format, mode, ...streams }: PrintStreams & { format: OutputFormat; mode: Mode }
): void {
    const facts = { conversationId: null, model: null, mode, durationMs: 0 };
    finish(failureOf(error, facts), { format, ...streams });
}

function report(event: AgentEvent, { format, stdout, stderr }: PrintOptions): void {
    if (format === "stream-json") stdout.write(`${JSON.stringify(event)}\n`);
    if (event.type === "retry-scheduled") {
        const delay = formatDuration(event.delayMs);
        stderr.write(`${event.reason} Trying again in ${delay} (${event.attempt}).\n`);
    }
    if (event.type === "notice") stderr.write(`${event.text}\n`);
    if (event.type === "review-settled" && event.status === "denied") {
        stderr.write(`Denied: ${safeLine(event.what)} (${HOW_TO_ALLOW[event.subject]})\n`);
    }
}

const HOW_TO_ALLOW = {
    write: "--accept-edits allows edits in this run",
    shell: "--approve-shell allows commands in this run, `north allowlist add` one for good",
    ask: "allow it once in the chat with `always`",
} as const;

function finish(
    result: PrintResult,
    { format, stdout, stderr }: PrintStreams & { format: OutputFormat }
): number {
    if (format !== "text") {
        stdout.write(`${JSON.stringify(result)}\n`);
    } else if (result.result !== "") {
        // A pipe gets the bytes as they are, a terminal nothing that could drive it.
        stdout.write(`${stdout.isTTY ? stripControls(result.result) : result.result}\n`);
    }
    if (result.error && format === "text") {
        const { message, nextSteps } = result.error;
        stderr.write(`${[message, ...nextSteps.map((step) => `  ${step}`)].join("\n")}\n`);
    }
    if (!result.isError) return 0;
    return result.stopReason === "cancelled" ? 130 : 1;
}
