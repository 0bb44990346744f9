import { writeSync } from "node:fs";
import { messageOf } from "../../base/system-error.js";
import { counted, formatDuration } from "../../base/format.js";
import { isExpectedError } from "../../base/north-error.js";
import type { AgentEvent, TurnOutcome } from "../../core/agent/events.js";
import { limitSentence } from "../../core/agent/limit-sentence.js";
import { Totals } from "../../core/agent/turn/limits.js";
import type { Session } from "../../core/session.js";
import type { Mode, OutgoingMessage } from "../../plugin/index.js";
import { exactUnlessTerminal, safeJson, safeLine, stripControls } from "../../base/safe-text.js";
import { printToStderr } from "../../base/stderr.js";
import { deniedLine } from "./denied-line.js";
import { Denials, type Denial } from "./denials.js";

interface RunFacts {
    readonly conversationId: string | null;
    readonly model: string | null;
    readonly mode: Mode;
    readonly durationMs: number;
    readonly denied: readonly Denial[];
    /** Why the last request had to be sent again. */
    readonly retried?: string | undefined;
    readonly draft?: Omit<PrintedDraft, "evidence" | "patchFile">;
}

export interface PrintedDraft {
    readonly files: readonly string[];
    /** As `git apply` takes it; empty without a draft. */
    readonly patch: string;
    /** Whether the project has it now. */
    readonly applied: boolean;
    /** Of the turn, now that the draft was applied. */
    readonly evidence?: TurnOutcome["evidence"];
    /** Where the patch was wanted; `-` is stdout, instead of the answer. */
    readonly patchFile: string | undefined;
}

type OutputFormat = "text" | "json" | "stream-json";

interface PrintStreams {
    readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
    readonly stderr: { write(text: string): unknown };
}

interface PrintOptions extends PrintStreams {
    readonly format: OutputFormat;
    readonly mode: Mode;
    readonly signal: AbortSignal;
    /** Registers what prints the partial result if the time limit ends the process. */
    onForcedTimeout(lastWords: () => void): void;
    /** What the command line approves. Changes the hint after a denial. */
    readonly approved: Readonly<Record<"write" | "shell", boolean>>;
    activity(text: string): void;
    /** In draft mode: writes its patch, and applies it if that was approved and the run has succeeded. */
    settleDraft?(hasSucceeded: boolean): Promise<PrintedDraft>;
    /** Called with the result before it is printed. */
    onResult?(result: PrintResult): Promise<void>;
}

export const WAITING = "Waiting for the model";

/**
 * Runs one turn without asking anything. Without a message it continues the last one, which was
 * interrupted. Resolves with the exit code.
 */
export async function runPrint(
    session: Session,
    message: OutgoingMessage | undefined,
    options: PrintOptions
): Promise<number> {
    const { signal, format, stdout, onResult } = options;
    const begin = performance.now();
    const facts = (): RunFacts => ({
        conversationId: session.conversationId,
        model: session.services.session.models.current().id,
        mode: options.mode,
        durationMs: Math.round(performance.now() - begin),
        denied: denials.list,
        retried,
    });
    let retried: string | undefined;
    const totals = new Totals();
    const denials = new Denials();
    if (format === "stream-json") {
        const { conversationId, model, mode } = facts();
        // First, so that a killed run can be resumed.
        stdout.write(line({ type: "run-started", conversationId, model, mode }));
    }
    options.onForcedTimeout(() =>
        finish(resultOf(totals.outcome("timeout"), facts()), { ...options, ...UNBUFFERED })
    );
    let outcome: TurnOutcome | undefined;
    const { text = "", typed = text, context = [] } = message ?? {};
    const isContinuation = message === undefined;
    for await (const event of session.send(text, { signal, typed, context, isContinuation })) {
        follow(event, totals);
        if (event.type === "retry-scheduled") retried = event.reason;
        if (event.type === "usage-reported") retried = undefined;
        denials.follow(event);
        if (event.type === "turn-finished") outcome = event.outcome;
        else report(event, options);
    }
    if (!outcome) {
        const error = new Error("The turn ended without an outcome.");
        return finish(failureOf(error, facts()), options);
    }
    const { outcome: ended, draft } = await withDraft(outcome, options);
    const result = resultOf(ended, { ...facts(), ...(draft && { draft: shownOf(draft) }) });
    await onResult?.(result);
    const exitCode = finish(result, options, draft?.patchFile === "-");
    if (draft && !draft.applied && draft.patchFile === undefined && draft.files.length > 0) {
        const files = counted(draft.files.length, "file");
        const next = `\`north draft apply ${session.conversationId}\` reviews and applies it.`;
        printToStderr(`The project is unchanged: ${files} in the draft. ${next}`, options.stderr);
    }
    return exitCode;
}

function shownOf({ files, patch, applied }: PrintedDraft): RunFacts["draft"] {
    return { files, patch, applied };
}

export function isPrintResult(value: object): value is PrintResult {
    return "type" in value && value.type === "result" && "isError" in value;
}

/** A draft that cannot be written fails the run. */
async function withDraft(outcome: TurnOutcome, { settleDraft }: PrintOptions) {
    try {
        const draft = await settleDraft?.(outcome.stopReason === "end");
        const { evidence = outcome.evidence } = draft ?? {};
        return { outcome: { ...outcome, ...(evidence && { evidence }) }, draft };
    } catch (error) {
        return { outcome: { ...outcome, stopReason: "error" as const, error } };
    }
}

/** Synchronous streams, for an exit that drops pending writes. */
export const UNBUFFERED: PrintStreams = {
    stdout: { write: (text) => writeSync(1, text) },
    stderr: { write: (text) => writeSync(2, text) },
};

function follow(event: AgentEvent, totals: Totals): void {
    if (event.type === "request-started") {
        totals.requests += 1;
        totals.text = "";
    }
    if (event.type === "text-delta") totals.text += event.text;
    if (event.type === "usage-reported" || event.type === "nested-usage") {
        totals.count(event.usage, event.costUsd);
    }
}

export function printFailure(
    error: unknown,
    { format, mode, ...streams }: PrintStreams & { format: OutputFormat; mode: Mode }
): void {
    const facts = { conversationId: null, model: null, mode, durationMs: 0, denied: [] };
    finish(failureOf(error, facts), { format, ...streams });
}

function report(event: AgentEvent, options: PrintOptions): void {
    const { format, stdout, stderr, activity, approved } = options;
    if (event.type === "request-started") activity(WAITING);
    if (event.type === "tool-call-started") activity(safeLine(event.intent));
    if (format === "stream-json") stdout.write(line(event));
    if (event.type === "retry-scheduled") {
        const again = `Trying again in ${formatDuration(event.delayMs)}.`;
        printToStderr(`${safeLine(event.reason)} ${again}`, stderr);
    }
    if (event.type === "notice") printToStderr(event.text, stderr);
    if (event.type === "review-settled" && event.status === "denied") {
        printToStderr(deniedLine(event, approved), stderr);
    }
}

function line(value: object): string {
    return `${safeJson(value)}\n`;
}

/** Prints a result in whichever format. Returns the exit code. */
export function finish(
    result: PrintResult,
    { format, stdout, stderr }: PrintStreams & { format: OutputFormat },
    isPatchWanted = false
): number {
    if (format !== "text") {
        stdout.write(line(result));
    } else if (isPatchWanted) {
        stdout.write(exactUnlessTerminal(result.draft?.patch ?? "", stdout));
    } else if (result.result !== "") {
        // A pipe gets the bytes unchanged; a terminal gets no control characters.
        stdout.write(`${stdout.isTTY ? stripControls(result.result) : result.result}\n`);
    }
    if (result.error && format === "text") {
        const { message, nextSteps } = result.error;
        printToStderr([message, ...nextSteps.map((step) => `  ${step}`)].join("\n"), stderr);
    }
    return exitCodeOf(result);
}

export function exitCodeOf({ isError, stopReason }: PrintResult): 0 | 1 | 130 {
    if (!isError) return 0;
    return stopReason === "cancelled" ? 130 : 1;
}

export type PrintResult = ReturnType<typeof resultOf>;

/** The object that `json` prints, and the last line of `stream-json`. */
function resultOf(outcome: TurnOutcome, { durationMs, denied, retried, ...facts }: RunFacts) {
    const { stopReason, text, requests, usage, costUsd, evidence } = outcome;
    const isError = stopReason !== "end";
    return {
        type: "result",
        result: text,
        ...("structuredOutput" in outcome && { structuredOutput: outcome.structuredOutput }),
        ...facts,
        turns: requests,
        usage,
        costUsd,
        durationMs,
        stopReason,
        denied,
        ...(evidence && { evidence }),
        isError,
        ...(isError && { error: errorOf(outcome, facts.conversationId, retried) }),
    };
}

function failureOf(error: unknown, facts: RunFacts): PrintResult {
    return resultOf(new Totals().outcome("error", error), facts);
}

function errorOf(outcome: TurnOutcome, conversationId: string | null, retried?: string) {
    const { stopReason, error } = outcome;
    if (isExpectedError(error)) {
        return { code: error.code, message: error.message, nextSteps: error.nextSteps };
    }
    const limit = limitSentence(outcome);
    if (limit) {
        const next = `To continue, run \`north resume ${conversationId} -p "Continue"\` with a higher limit.`;
        const message = retried === undefined ? limit : `${limit} ${retried}`;
        return { code: stopReason, message, nextSteps: conversationId ? [next] : [] };
    }
    if (stopReason === "cancelled") {
        return { code: stopReason, message: "Interrupted.", nextSteps: [] };
    }
    const message = messageOf(error);
    return { code: "internal-error", message, nextSteps: ["See north.log for the details."] };
}
