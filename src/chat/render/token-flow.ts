import { formatTokens, formatUsd } from "../../base/format.js";
import { tokensOf } from "../../core/context/estimate.js";

/** What a turn takes: the tokens of its request under way, and what its requests have cost. */
export class TokenFlow {
    private costUsd = 0;
    private sent = 0;
    /** Characters: vendors count tokens at the end only. */
    private received = 0;

    start(sent: number): void {
        this.sent = sent;
        this.received = 0;
    }

    receive(text: string): void {
        this.received += text.length;
    }

    /** `null` where the price is not known. */
    spend(costUsd: number | null): void {
        this.costUsd += costUsd ?? 0;
    }

    /** Tokens sent, or once the reply has begun those received. */
    readonly note = (): string =>
        this.received > 0
            ? `↓ ${formatTokens(tokensOf(this.received))} tokens`
            : `↑ ${formatTokens(this.sent)} tokens`;

    cost(): string | undefined {
        return this.costUsd > 0 ? formatUsd(this.costUsd) : undefined;
    }
}
