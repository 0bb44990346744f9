import type { Usage } from "../../../plugin/index.js";
import { NO_USAGE } from "../../costs/price.js";
import type { TurnOutcome, TurnStopReason } from "../events.js";
import type { ReplyDraft } from "../reply/reply-draft.js";

export class Totals {
    requests = 0;
    text = "";
    knownCostUsd = 0;
    readonly paths = new Set<string>();
    private isPriced = true;
    private readonly usage = { ...NO_USAGE };

    add({ usage, costUsd, files }: ReplyDraft): void {
        for (const { kind, path } of files.all) if (kind === "staged") this.paths.add(path);
        this.count(usage, costUsd);
    }

    count(usage: Usage, costUsd: number | null): void {
        if (costUsd === null) this.isPriced = false;
        else this.knownCostUsd += costUsd;
        for (const field of Object.keys(this.usage) as (keyof Usage)[]) {
            this.usage[field] += usage[field] ?? 0;
        }
    }

    outcome(stopReason: TurnStopReason, error?: unknown): TurnOutcome {
        return {
            stopReason,
            text: this.text,
            requests: this.requests,
            usage: this.usage,
            costUsd: this.isPriced ? this.knownCostUsd : null,
            ...(error === undefined ? {} : { error }),
        };
    }
}
