import { formatTokens } from "../../base/format.js";
import { tokensOf } from "../../core/context/estimate.js";

/** Tokens of the request under way: those sent, or once the reply has begun those received. */
export class TokenFlow {
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

    readonly note = (): string =>
        this.received > 0
            ? `↓ ${formatTokens(tokensOf(this.received))} tokens`
            : `↑ ${formatTokens(this.sent)} tokens`;
}
