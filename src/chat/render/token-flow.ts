import { formatTokens, formatUsd } from "../../base/format.js";
import { tokensOf } from "../../core/message/estimate.js";

/** Token use of the current request, and cost of the turn so far. */
export class TokenFlow {
    private costUsd = 0;
    private sent = 0;
    /** In characters: vendors report token counts only at the end. */
    private received = 0;

    start(sent: number): void {
        this.sent = sent;
        this.received = 0;
    }

    receive(text: string): void {
        this.received += text.length;
    }

    /** `null` if the price is unknown. */
    spend(costUsd: number | null): void {
        this.costUsd += costUsd ?? 0;
    }

    /** Tokens sent, or tokens received once the reply has started. */
    readonly note = (): string =>
        this.received > 0
            ? `↓ ${formatTokens(tokensOf(this.received))} tokens`
            : `↑ ${formatTokens(this.sent)} tokens`;

    cost(): string | undefined {
        return this.costUsd > 0 ? formatUsd(this.costUsd) : undefined;
    }
}
