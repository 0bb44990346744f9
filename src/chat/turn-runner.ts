import type { GivenAttachment } from "../core/context/attachments.js";
import { untilAborted, within } from "../base/waiting.js";
import type { AgentEvent, TurnOutcome } from "../core/agent/events.js";
import type { Approver } from "../core/approval/approver.js";
import type { MessageQueue, Session } from "../core/session.js";
import { NorthError } from "../base/north-error.js";
import type { OutgoingMessage, SentTurn } from "../plugin/index.js";
import type { LiveView } from "./live-view.js";
import { pullEvents } from "../core/agent/pull-events.js";
import type { DiffDetails } from "./render/diff/diff-details.js";
import { EventRenderer } from "./render/event-renderer.js";
import type { CodeColours } from "./render/code-colours.js";
import { loadInline } from "./render/markdown/inline.js";
import type { Theme } from "./terminal/theme.js";

/** Max wait for a cancelled turn that hangs, before the next message. */
const SETTLE_MS = 10_000;

export interface TurnRunnerOptions {
    readonly session: Session;
    readonly view: LiveView;
    readonly theme: Theme;
    readonly approver: Approver;
    readonly queue: MessageQueue;
    describeError(error: unknown): string;
    statusChanged(): void;
    /** Attachments for a message, found in its typed part. */
    attachedTo(typed: string): readonly GivenAttachment[];
}

/** Runs cancellable turns, one at a time. */
export class TurnRunner {
    private controller: AbortController | undefined;
    private hanging: Promise<unknown> | undefined;
    private colours: CodeColours | undefined;
    private diffDetails: DiffDetails | undefined;
    private isMarkdownLoading = false;

    constructor(private readonly options: TurnRunnerOptions) {}

    cancel(): void {
        this.controller?.abort();
    }

    /** Resolves once the turn has finished or was cancelled. Shows errors. */
    async run(message: OutgoingMessage): Promise<SentTurn> {
        if (this.controller) {
            throw new NorthError("turn-running", "Another turn or task is still running.");
        }
        const controller = new AbortController();
        this.controller = controller;
        const outcome = await this.attempt(message, controller.signal);
        this.controller = undefined;
        const { aborted } = controller.signal;
        const { stopReason = "error", text = "", costUsd = null } = outcome ?? {};
        return { stopReason: aborted ? "cancelled" : stopReason, text, costUsd };
    }

    private async attempt(
        message: OutgoingMessage,
        signal: AbortSignal
    ): Promise<TurnOutcome | undefined> {
        const { view, theme, describeError } = this.options;
        this.loadMarkdown();
        const colours = (): CodeColours | undefined => this.colours;
        const diffDetails = (): DiffDetails | undefined => this.diffDetails;
        const renderer = new EventRenderer(view, { theme, describeError, colours, diffDetails });
        try {
            await this.awaitHanging(signal);
            if (!signal.aborted) {
                renderer.begin();
                return await this.pull(message, signal, renderer);
            }
            renderer.cancelled();
        } catch (error) {
            if (signal.aborted) {
                renderer.cancelled();
            } else {
                renderer.close();
                view.print(describeError(error));
            }
        }
        return undefined;
    }

    async during(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
        const controller = new AbortController();
        this.controller = controller;
        try {
            await this.awaitHanging(controller.signal);
            if (!controller.signal.aborted) await work(controller.signal);
        } catch (error) {
            this.options.view.print(this.options.describeError(error));
        } finally {
            this.controller = undefined;
        }
    }

    // Loads while the model works. Text before that has no colours and raw entities.
    private loadMarkdown(): void {
        const { theme } = this.options;
        if (this.isMarkdownLoading || theme.isPlain) return;
        this.isMarkdownLoading = true;
        // Best effort: text is correct without them.
        void Promise.allSettled([
            loadInline(),
            import("./render/diff/diff-details.js").then(async ({ loadDiffDetails }) => {
                this.diffDetails = await loadDiffDetails({ changes: [] }, theme);
            }),
            import("./render/code-colours.js").then(async ({ loadCodeColours }) => {
                this.colours = await loadCodeColours(theme);
            }),
        ]);
    }

    private async pull(
        { text, typed = "", context = [] }: OutgoingMessage,
        signal: AbortSignal,
        renderer: EventRenderer
    ): Promise<TurnOutcome | undefined> {
        const { session, approver, queue, statusChanged, view, attachedTo } = this.options;
        let outcome: TurnOutcome | undefined;
        const onEvent = (event: AgentEvent): Promise<void> | undefined => {
            renderer.render(event);
            if (event.type === "usage-reported") statusChanged();
            if (event.type === "turn-finished") ({ outcome } = event);
            return view.room;
        };
        const events = session.send(text, {
            ...{ approver, queue, signal, typed, context },
            attached: attachedTo(typed),
        });
        const pulled = await pullEvents(events, onEvent, signal);
        if (pulled.kind === "finished") {
            renderer.close();
        } else {
            this.hanging = pulled.settled.finally(() => (this.hanging = undefined));
            renderer.cancelled();
        }
        return outcome;
    }

    // A session runs one turn at a time, even if the last one hangs.
    private async awaitHanging(signal: AbortSignal): Promise<void> {
        if (!this.hanging) return;
        const { view, theme } = this.options;
        const label = theme.quiet("Waiting for the cancelled turn to stop");
        view.setActivities([{ label, since: Date.now() }]);
        const settled = this.hanging.then(() => true);
        const isSettled = await within(
            SETTLE_MS,
            untilAborted(settled, signal, () => false),
            () => false
        );
        view.setActivities([]);
        if (isSettled || signal.aborted) return;
        throw new NorthError("turn-still-running", "The cancelled turn has not stopped yet.", [
            "Send the message again in a moment, or quit and run `north resume`.",
        ]);
    }
}
