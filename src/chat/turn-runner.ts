import type { GivenAttachment } from "../core/message/attachments.js";
import type { AgentEvent, TurnOutcome } from "../core/agent/events.js";
import type { Approver } from "../core/approval/approver.js";
import type { MessageQueue, SendOptions, Session } from "../core/session.js";
import type { OutgoingMessage, SentTurn } from "../plugin/index.js";
import type { LiveView } from "./live-view.js";
import { OneTurn } from "../core/one-turn.js";
import type { DiffDetails } from "./render/diff/diff-details.js";
import { EventRenderer } from "./render/event-renderer.js";
import type { CodeColours } from "./render/code-colours.js";
import { loadInline } from "./render/markdown/inline.js";
import type { Theme } from "./terminal/theme.js";

interface TurnRunnerOptions {
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

/** A message, or `isDraftReview` without one. */
type TurnMessage = OutgoingMessage & Pick<SendOptions, "isDraftReview">;

export class TurnRunner {
    private readonly turns = new OneTurn();
    private colours: CodeColours | undefined;
    private diffDetails: DiffDetails | undefined;
    private isMarkdownLoading = false;

    constructor(private readonly options: TurnRunnerOptions) {}

    cancel(): void {
        this.turns.cancel();
    }

    /** Resolves once the turn has finished or was cancelled. Shows errors. */
    run(message: TurnMessage): Promise<SentTurn> {
        return this.turns.run(async (signal) => {
            const outcome = await this.attempt(message, signal);
            const { stopReason = "error", text = "", costUsd = null } = outcome ?? {};
            return { stopReason: signal.aborted ? "cancelled" : stopReason, text, costUsd };
        });
    }

    private async attempt(
        message: TurnMessage,
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

    async during<Result>(
        work: (signal: AbortSignal) => Promise<Result>
    ): Promise<Result | undefined> {
        try {
            return await this.turns.run(async (signal) => {
                await this.awaitHanging(signal);
                return signal.aborted ? undefined : await work(signal);
            });
        } catch (error) {
            this.options.view.print(this.options.describeError(error));
            return undefined;
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
        message: TurnMessage,
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
        const { text, typed = "", ...more } = message;
        const attached = attachedTo(typed);
        const events = session.send(text, { approver, queue, signal, typed, attached, ...more });
        if (await this.turns.pull(events, onEvent, signal)) renderer.close();
        else renderer.cancelled();
        return outcome;
    }

    private async awaitHanging(signal: AbortSignal): Promise<void> {
        if (!this.turns.hangs) return;
        const { view, theme } = this.options;
        const label = theme.quiet("Waiting for the cancelled turn to stop");
        view.setActivities([{ label, since: Date.now() }]);
        try {
            await this.turns.settle(signal);
        } finally {
            view.setActivities([]);
        }
    }
}
