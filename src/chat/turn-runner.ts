import { untilAborted, within } from "../base/waiting.js";
import type { AgentEvent } from "../core/agent/events.js";
import type { Approver } from "../core/approval/approver.js";
import type { Session } from "../core/session.js";
import { NorthError } from "../base/north-error.js";
import type { LiveView } from "./live-view.js";
import { pullEvents } from "./pull-events.js";
import type { DiffDetails } from "./render/diff/diff-details.js";
import { EventRenderer } from "./render/event-renderer.js";
import type { CodeColours } from "./render/markdown/code-colours.js";
import { loadInline } from "./render/markdown/inline.js";
import type { Theme } from "./terminal/theme.js";

/** How long the next message waits for a cancelled turn that still hangs. */
const SETTLE_MS = 10_000;

/** What turns need. */
export interface TurnRunnerOptions {
    readonly session: Session;
    readonly view: LiveView;
    readonly theme: Theme;
    readonly approver: Approver;
    describeError(error: unknown): string;
    /** Told of events that change what the status line says. */
    statusChanged(): void;
}

/** Runs turns one after the other, each of which can be cancelled. */
export class TurnRunner {
    private controller: AbortController | undefined;
    private hanging: Promise<unknown> | undefined;
    private colours: CodeColours | undefined;
    private diffDetails: DiffDetails | undefined;
    private isMarkdownLoading = false;

    constructor(private readonly options: TurnRunnerOptions) {}

    /** Stops the turn that runs, if one does. */
    cancel(): void {
        this.controller?.abort();
    }

    /** Resolves when the turn is over or cancelled; what goes wrong in it is shown. */
    async run(text: string): Promise<"finished" | "cancelled"> {
        const controller = new AbortController();
        this.controller = controller;
        await this.attempt(text, controller.signal);
        this.controller = undefined;
        return controller.signal.aborted ? "cancelled" : "finished";
    }

    private async attempt(text: string, signal: AbortSignal): Promise<void> {
        const { view, theme, describeError } = this.options;
        this.loadMarkdown();
        const colours = (): CodeColours | undefined => this.colours;
        const diffDetails = (): DiffDetails | undefined => this.diffDetails;
        const renderer = new EventRenderer(view, { theme, describeError, colours, diffDetails });
        try {
            await this.awaitHanging(signal);
            if (signal.aborted) return renderer.cancelled();
            await this.pull(text, signal, renderer);
        } catch (error) {
            if (signal.aborted) return renderer.cancelled();
            renderer.close();
            view.print(describeError(error));
        }
    }

    /** Work of another kind that is cancelled as a turn is; what goes wrong in it is shown. */
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

    // While the model is waited for; what comes sooner has no colours, and entities as written.
    private loadMarkdown(): void {
        const { theme } = this.options;
        if (this.isMarkdownLoading || theme.isPlain) return;
        this.isMarkdownLoading = true;
        void loadInline().catch(() => undefined);
        void import("./render/diff/diff-details.js")
            .then(({ loadDiffDetails }) => loadDiffDetails({ changes: [] }, theme))
            .then(
                (details) => (this.diffDetails = details),
                () => undefined
            );
        void import("./render/markdown/code-colours.js")
            .then(({ loadCodeColours }) => loadCodeColours(theme))
            .then(
                (colours) => (this.colours = colours),
                // Without colours the code is as right as with them.
                () => undefined
            );
    }

    private async pull(text: string, signal: AbortSignal, renderer: EventRenderer): Promise<void> {
        const { session, approver, statusChanged, view } = this.options;
        const onEvent = (event: AgentEvent): Promise<void> | undefined => {
            renderer.render(event);
            if (event.type === "usage-reported") statusChanged();
            return view.room;
        };
        const pulled = await pullEvents(session.send(text, { approver, signal }), onEvent, signal);
        if (pulled.kind === "finished") return renderer.close();
        this.hanging = pulled.settled.finally(() => (this.hanging = undefined));
        renderer.cancelled();
    }

    // A session has one turn at a time, also when the last one does not let go.
    private async awaitHanging(signal: AbortSignal): Promise<void> {
        if (!this.hanging) return;
        const { view, theme } = this.options;
        const label = theme.quiet("Waiting for what was cancelled to end");
        view.setActivities([{ label, since: Date.now() }]);
        const settled = this.hanging.then(() => true);
        const isSettled = await within(
            SETTLE_MS,
            untilAborted(settled, signal, () => false),
            () => false
        );
        view.setActivities([]);
        if (isSettled || signal.aborted) return;
        throw new NorthError("turn-still-running", "What was cancelled has not ended yet.", [
            "Send the message again in a moment, or leave with /quit and come back with `north resume`.",
        ]);
    }
}
