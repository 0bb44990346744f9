import type { AgentEvent, EventOf, TurnOutcome } from "../../core/agent/events.js";
import { SHOWN_OUTPUT_LINES } from "../../core/agent/calls/shown-output.js";
import type { Activity, TurnView } from "../live-view.js";
import { safeLine, stripControls } from "../../base/safe-text.js";
import { limitSentence } from "../../core/agent/limit-sentence.js";
import type { Theme } from "../terminal/theme.js";
import { AnswerText } from "./answer-text.js";
import {
    areOutputs,
    callLine,
    displayLines,
    draftedReview,
    hiddenNote,
    settledAgain,
    type CallFinished,
    type ReviewSettled,
} from "./call-lines.js";
import { counted } from "../../base/format.js";
import type { CodeColours } from "./code-colours.js";
import type { DiffDetails } from "./diff/diff-details.js";
import { shownFindings } from "./findings.js";
import { wrapVerbatim } from "./rows.js";
import { isGitLine, settledDiff } from "./diff/diff-lines.js";
import { echoOf } from "./echo.js";
import { OutputTail } from "./output-tail.js";
import { TokenFlow } from "./token-flow.js";
import { ThinkingText, thoughtLine } from "./thinking-text.js";

const LIVE_LINES = 5;

interface ShownCall {
    readonly intent: string;
    readonly note?: string;
    readonly since: number;
    readonly output: OutputTail;
}

export interface RendererOptions {
    readonly theme: Theme;
    describeError(error: unknown): string;
    readonly now?: () => number;
    /** Code colours, once loaded. None if absent. */
    readonly colours?: () => CodeColours | undefined;
    /** Changed words and code colours of diffs, once loaded. None if absent. */
    readonly diffDetails?: () => DiffDetails | undefined;
}

/** Turns the events of a turn into transcript lines and a live area. */
export class EventRenderer {
    private readonly answer: AnswerText;
    private waiting: Activity | undefined;
    private readonly tokens = new TokenFlow();
    private progress = "";
    private retry: { readonly attempt: number; readonly reason: string } | undefined;
    private growingSince: number | undefined;
    private readonly running = new Map<string, ShownCall>();
    private readonly reviews = new Map<string, ReviewSettled>();
    private readonly now: () => number;
    private readonly thinking: ThinkingText;

    constructor(
        private readonly view: TurnView,
        private readonly options: RendererOptions
    ) {
        this.now = options.now ?? Date.now;
        this.thinking = new ThinkingText(this.now);
        const { theme, colours = () => undefined } = options;
        this.answer = new AnswerText({ view, theme, colours });
    }

    render(event: AgentEvent): void {
        const { theme } = this.options;
        if (event.type !== "thinking-delta" && event.type !== "thinking-finished") this.settle();
        switch (event.type) {
            case "request-started":
                this.growingSince = undefined;
                this.tokens.start(event.estimatedTokens);
                return this.wait(
                    this.retry ? `Retry ${this.retry.attempt}` : "Waiting for the model",
                    this.tokens.note
                );
            case "thinking-delta":
                return this.think(event.text);
            case "thinking-finished":
                return this.thinking.endBlock();
            case "text-delta":
                return this.addText(event.text);
            case "text-finished":
                return this.answer.finish();
            case "tool-call-preparing":
                this.growingSince = this.now();
                return this.wait(`Preparing ${safeLine(event.name)}`);
            case "tool-call-growing":
                return this.grow(
                    `Preparing ${[event.name, event.path ?? []].flat().join(" ")}`,
                    event.lines
                );
            case "tool-call-started":
                return this.start(event.callId, event.intent);
            case "tool-call-noted": {
                const call = this.running.get(event.callId);
                if (call) this.running.set(event.callId, { ...call, note: event.text });
                return this.showActivities();
            }
            case "nested-usage":
                return this.tokens.spend(event.costUsd);
            case "tool-output-delta":
                this.running.get(event.callId)?.output.add(event.text);
                return this.showActivities();
            case "review-settled":
                return this.settleReview(event);
            case "change-drafted":
                return void this.reviews.set(event.callId, draftedReview(event));
            case "tool-call-finished":
                return this.finishCall(event);
            case "file-progress":
                return this.grow(`Writing ${event.path}`, event.lines);
            case "file-finished":
                return this.finishFile(event);
            case "usage-reported":
                this.tokens.spend(event.costUsd);
                this.retry = undefined;
                return this.wait("Working");
            case "retry-scheduled":
                return this.awaitRetry(event);
            case "message-delivered":
                return this.note(echoOf(event.text, theme));
            case "notice":
                return this.note(theme.quiet(`· ${stripControls(event.text)}`));
            case "turn-finished":
                return this.finish(event.outcome);
            case "web-search":
                return;
            default:
                event satisfies never;
        }
    }

    /** Clears the live area, even if the turn lacks its last event. */
    close(): void {
        this.settle();
        this.answer.finish();
        this.waiting = undefined;
        this.running.clear();
        this.view.setActivities([]);
    }

    cancelled(): void {
        const running = [...this.running.values()];
        this.close();
        const what = running.map(({ intent }) => safeLine(intent)).join(", ");
        this.view.print(this.options.theme.quiet(`[Cancelled] ${what}`.trimEnd()));
        // The output so far may explain the cancellation.
        for (const { output } of running) this.view.printVerbatim(this.outputLines(output));
    }

    begin(): void {
        this.wait("Working");
    }

    private wait(what: string, note?: () => string): void {
        const label = this.options.theme.quiet(what);
        if (this.waiting?.label === label && this.waiting.until === undefined) return;
        this.waiting = { label, since: this.now(), note };
        this.showActivities();
    }

    /** The reason is printed once; the live line counts down. */
    private awaitRetry({ attempt, delayMs, reason }: EventOf<"retry-scheduled">): void {
        const { theme } = this.options;
        // What a try has said so far is discarded, so the next one begins a line of its own.
        this.answer.finish();
        if (this.retry?.reason !== reason) this.note(theme.quiet(`↻ ${safeLine(reason)}`));
        this.retry = { attempt, reason };
        const since = this.now();
        this.waiting = { label: theme.quiet(`Retry ${attempt}`), since, until: since + delayMs };
        this.showActivities();
    }

    private think(text: string): void {
        this.waiting = undefined;
        this.tokens.receive(text);
        this.thinking.add(text);
        this.showActivities();
    }

    private settle(): void {
        const duration = this.thinking.take();
        if (duration === undefined) return;
        this.showActivities();
        this.note(thoughtLine(duration, this.options.theme));
    }

    private addText(text: string): void {
        this.tokens.receive(text);
        this.wait("Answering", this.tokens.note);
        this.answer.add(text);
    }

    private start(callId: string, intent: string): void {
        this.answer.finish();
        this.waiting = undefined;
        this.running.set(callId, { intent, since: this.now(), output: new OutputTail() });
        this.showActivities();
    }

    private finishCall(event: CallFinished): void {
        const { theme } = this.options;
        this.answer.finish();
        const output = this.running.get(event.callId)?.output;
        this.running.delete(event.callId);
        if (event.progress !== undefined) this.progress = safeLine(event.progress);
        if (this.running.size === 0) this.wait("Working");
        const review = this.reviews.get(event.callId);
        this.showActivities();
        // A contained command comes first, then what was decided about its changes.
        const isContained = review?.command !== undefined;
        this.view.print(callLine(event, isContained ? undefined : review, theme));
        if (!isContained) this.showDiff(review, event.ok);
        if (event.display) {
            const lines = displayLines(event.display, theme, event.hiddenLines);
            // Command output is verbatim; a tool's text is wrapped.
            const isCommand = review?.subject === "shell" || (output?.lineCount ?? 0) > 0;
            if (isCommand) this.view.printVerbatim(lines);
            else this.view.print(lines.join("\n"));
        } else if (output && review?.status !== "denied") {
            this.view.printVerbatim(this.outputLines(output));
        }
        if (!isContained) return;
        this.view.print(callLine(event, review, theme));
        this.showDiff(review, event.ok);
    }

    private settleReview(event: EventOf<"review-settled">): void {
        const { callId } = event;
        this.reviews.set(callId, settledAgain(this.reviews.get(callId), event));
        const running = this.running.get(callId);
        // The user's time to decide does not count as the call's.
        if (!running) return;
        this.running.set(callId, { ...running, since: this.now() });
        this.showActivities();
    }

    private showDiff(review: ReviewSettled | undefined, isDone: boolean): void {
        const { theme, diffDetails } = this.options;
        if (!isDone || review?.status !== "approved" || !review.diffs || review.isDrafted) return;
        const style = { theme, details: diffDetails?.() };
        // The line above says what happened in git's folder, and counts what was kept.
        const diffs = areOutputs(review.diffs)
            ? []
            : review.diffs.filter((diff) => !isGitLine(diff));
        const { columns } = this.view;
        const warnings = shownFindings(review.findings)
            .flatMap((text) => wrapVerbatim({ text: `  ! ${text}`, indent: 4 }, columns))
            .map((row) => theme.warning(row));
        this.view.printVerbatim([...settledDiff(diffs, style, columns), ...warnings]);
    }

    private outputLines(output: OutputTail): string[] {
        const { theme } = this.options;
        const shown = output.last(SHOWN_OUTPUT_LINES).map((line) => theme.quiet(`    ${line}`));
        const hidden = output.lineCount - shown.length;
        return hidden > 0 ? [`    ${hiddenNote(hidden, theme)}`, ...shown] : shown;
    }

    /** Timed from its first line. */
    private grow(what: string, lines: number): void {
        const size = lines > 0 ? ` · ${counted(lines, "line")}` : "";
        const label = this.options.theme.quiet(`${safeLine(what)}${size}`);
        this.growingSince ??= this.now();
        this.waiting = { label, since: this.growingSince };
        this.showActivities();
    }

    private finishFile({ fileId, path, ok, error }: EventOf<"file-finished">): void {
        const { theme } = this.options;
        this.answer.finish();
        this.growingSince = undefined;
        this.wait("Working");
        const review = this.reviews.get(fileId);
        const call = {
            type: "tool-call-finished",
            callId: fileId,
            name: "",
            durationMs: 0,
        } as const;
        const intent = `Writing ${path}`;
        this.view.print(callLine({ ...call, intent, ok, error }, review, theme));
        this.showDiff(review, ok);
    }

    private note(line: string): void {
        this.answer.finish();
        this.view.print(line);
    }

    private finish(outcome: TurnOutcome): void {
        const { theme, describeError } = this.options;
        if (outcome.stopReason === "cancelled") return this.cancelled();
        this.close();
        const { evidence } = outcome;
        if (evidence) this.view.print(theme.quiet(`· ${stripControls(evidence.text)}`));
        const isExplained = outcome.stopReason === "error" || outcome.error !== undefined;
        const limit = limitSentence(outcome);
        if (isExplained) {
            this.view.print(describeError(outcome.error));
        } else if (limit !== undefined) {
            this.view.print(
                theme.warning(`! ${limit} Start North with a higher limit to continue.`)
            );
        }
    }

    private showActivities(): void {
        const calls = [...this.running.values()].map(({ intent, note, since, output }) => ({
            label: safeLine(note === undefined ? intent : `${intent} · ${note}`),
            since,
            details: output.last(LIVE_LINES),
        }));
        const thinking = this.thinking.activity(this.options.theme);
        const last = thinking ? { ...thinking, note: this.tokens.note } : this.waiting;
        const activities: readonly Activity[] = last ? [...calls, last] : calls;
        this.view.setActivities([
            ...activities.slice(0, -1),
            ...activities.slice(-1).map((activity) => this.withTurn(activity)),
        ]);
    }

    /** Adds the turn's progress and cost to the last activity. */
    private withTurn(activity: Activity): Activity {
        const { note } = activity;
        const cost = this.tokens.cost();
        const { quiet } = this.options.theme;
        const progress = this.progress && { progress: quiet(` · ${this.progress}`) };
        const facts = cost && { note: () => [note?.(), cost].filter(Boolean).join(" · ") };
        return { ...activity, ...progress, ...facts };
    }
}
