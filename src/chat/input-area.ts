import { whenAborted } from "../base/waiting.js";
import { meaningOf } from "./composer/bindings.js";
import { Composer } from "./composer/composer.js";
import { InputQueue } from "./input-queue.js";
import { LiveView } from "./live-view.js";
import type { Key } from "./terminal/keys.js";
import type { Terminal } from "./terminal/terminal.js";

/** After this wait, say what North waits for. */
const PATIENCE_MS = 1_000;

/** Accepts typing before the session is open. The first Enter or Tab makes keys wait. */
export class InputArea {
    readonly inputs: InputQueue;
    readonly composer: Composer;
    readonly view: LiveView;
    private held: Key[] | undefined = [];
    private release: (() => void) | undefined;

    constructor(readonly terminal: Terminal) {
        this.composer = new Composer({
            quit: () => this.inputs.close(),
            clearScreen: () => terminal.screen.clear(),
            changed: () => this.view.refresh(),
        });
        this.view = new LiveView(terminal.screen, terminal.theme, this.composer);
        this.inputs = new InputQueue((waiting) => {
            this.view.queued = [...waiting];
            this.view.refresh();
        });
    }

    open(): void {
        this.release = this.terminal.keyboard.take((key) => this.takeKey(key));
        if (!this.terminal.isLineTerminal) this.terminal.screen.draw();
    }

    /** Resolves with the result of `opening`, or `undefined` if the user quits first. */
    async waitFor<Opened>(
        opening: Promise<Opened>,
        ended: AbortSignal
    ): Promise<Opened | undefined> {
        const since = Date.now();
        const label = this.terminal.theme.quiet("Waiting for plugins");
        const tell = (): void => this.view.setActivities([{ label, since }]);
        const timer = this.terminal.isLineTerminal ? undefined : setTimeout(tell, PATIENCE_MS);
        const end = Promise.race([this.inputs.closing, whenAborted(ended)]);
        try {
            return await Promise.race([opening, end.then(() => undefined)]);
        } finally {
            clearTimeout(timer);
            this.view.setActivities([]);
        }
    }

    /** Delivers the held keys, then every key as it comes. */
    connect(...given: Parameters<Composer["connect"]>): void {
        this.composer.connect(...given);
        const held = this.held ?? [];
        this.held = undefined;
        for (const key of held) this.composer.handleKey(key);
    }

    close(): void {
        this.release?.();
        this.view.close();
    }

    private takeKey(key: Key): void {
        const meaning = meaningOf(key);
        const isWayOut = meaning === "interrupt" || meaning === "leave-or-delete";
        if (isWayOut) this.held &&= [];
        // These keys need only the composer. A line terminal enters text and Enter together.
        const needsNobody = typeof meaning === "object" || meaning === "clear-screen";
        const isEarly = needsNobody && !this.terminal.isLineTerminal && this.held?.length === 0;
        if (this.held === undefined || isWayOut || isEarly) this.composer.handleKey(key);
        else this.held.push(key);
    }
}
