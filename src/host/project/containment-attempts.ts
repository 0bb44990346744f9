import { missingFrom, type OpenedContainment } from "../../shell/containment/open-containment.js";

/** Doubles with each attempt. */
const RETRY_MS = 60_000;

/** Opens containment, and later again if that failed for a reason that may pass. */
export class ContainmentAttempts {
    /** Absent until a command needs it. */
    current: Promise<OpenedContainment> | undefined;
    private readonly replaced: Promise<OpenedContainment>[] = [];
    private waitMs = RETRY_MS;
    private retryAt = Infinity;

    constructor(
        private readonly open: () => Promise<OpenedContainment>,
        private readonly now: () => number
    ) {}

    opened(): Promise<OpenedContainment> {
        if (this.current && this.now() >= this.retryAt) {
            // Commands may still run in it.
            this.replaced.push(this.current);
            this.current = undefined;
        }
        this.current ??= this.attempt();
        return this.current;
    }

    /** Tries at once if something is missing. */
    async openedAnew(): Promise<OpenedContainment> {
        if (missingFrom(await this.opened())) this.retryAt = 0;
        return this.opened();
    }

    async dispose(): Promise<void> {
        for (const each of [...this.replaced, this.current]) {
            const opened = await each?.catch(() => undefined);
            if (opened?.kind === "available") await opened.containment.dispose();
        }
    }

    private async attempt(): Promise<OpenedContainment> {
        this.retryAt = Infinity;
        const opened = await this.open();
        // No steps are known for a machine that is only busy or full.
        if (missingFrom(opened)?.nextSteps.length === 0) this.retryAt = this.now() + this.waitMs;
        this.waitMs *= 2;
        return opened;
    }
}
