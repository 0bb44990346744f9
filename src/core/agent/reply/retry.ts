import type { ExpectedError } from "../../../plugin/index.js";
import { asSentence, formatDuration } from "../../../base/format.js";
import { isExpectedError, NorthError } from "../../../base/north-error.js";
import type { Runtime } from "../turn.js";

/** How long to wait out an outage. */
const MAX_OUTAGE_MS = 600_000;
const OUTAGES: ReadonlySet<string> = new Set(["network", "overloaded", "rate-limited"]);

/** Whether a vendor cannot answer now, although another may. */
export function isOverload(code: string): boolean {
    return code !== "network" && OUTAGES.has(code);
}

/** Max retries after other failures, each of which costs part of a reply or minutes of silence. */
const MAX_RETRIES = 3;
const MAX_RETRIES_OF_SILENCE = 2;

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

/** Whether to send the same request again, or to fail with a final error. */
export type RetryDecision =
    | {
          readonly kind: "retry";
          readonly error: ExpectedError;
          /** 1-based. */
          readonly attempt: number;
          readonly delayMs: number;
      }
    | { readonly kind: "give-up"; readonly error: unknown };

export class Retries {
    private failures = 0;
    private otherFailures = 0;
    private waitedMs = 0;
    /** When the first failure came: a reply that breaks off after a long time is not an outage yet. */
    private begin: number | undefined;

    /** An overload is not waited out while `fallbacks` has another model. */
    constructor(
        private readonly runtime: Pick<Runtime, "now" | "random">,
        private readonly fallbacks: readonly unknown[] = []
    ) {}

    next(error: unknown): RetryDecision {
        if (!isExpectedError(error) || error.retryable !== true) return { kind: "give-up", error };
        this.begin ??= this.runtime.now();
        this.failures += 1;
        const { failures: attempt } = this;
        const delayMs = this.delayAfter(error);
        if (!this.isWorthwhile(error, delayMs)) {
            return { kind: "give-up", error: this.withHistory(error) };
        }
        this.waitedMs += delayMs;
        return { kind: "retry", error, attempt, delayMs };
    }

    /** Exponential backoff with jitter, or the vendor's delay if longer. */
    private delayAfter({ retryAfterMs = 0 }: ExpectedError): number {
        const jitter = 0.75 + this.runtime.random() / 2;
        const backOff = Math.min(FIRST_DELAY_MS * 2 ** (this.failures - 1), MAX_DELAY_MS) * jitter;
        return Math.round(Math.max(backOff, retryAfterMs));
    }

    private isWorthwhile({ code }: ExpectedError, delayMs: number): boolean {
        if (this.elapsedMs + delayMs > MAX_OUTAGE_MS) return false;
        const isReplaceable = this.fallbacks.length > 0 && isOverload(code);
        if (isReplaceable && delayMs > MAX_DELAY_MS) return false;
        if (OUTAGES.has(code) && !isReplaceable) return true;
        this.otherFailures += 1;
        return this.otherFailures <= (code === "timeout" ? MAX_RETRIES_OF_SILENCE : MAX_RETRIES);
    }

    // Setting the clock back must not prolong the wait.
    private get elapsedMs(): number {
        return Math.max(this.waitedMs, this.runtime.now() - (this.begin ?? Infinity));
    }

    private withHistory(error: ExpectedError): ExpectedError {
        const { code, message, nextSteps, retryAfterMs = 0 } = error;
        const { failures, elapsedMs } = this;
        const spent = elapsedMs < FIRST_DELAY_MS ? "" : ` in ${formatDuration(elapsedMs)}`;
        const tries = failures > 1 ? ` Tried ${failures} times${spent}.` : "";
        const minutes = Math.ceil(retryAfterMs / 60_000);
        const wait = minutes > 1 ? ` The server asks for a wait of ${minutes} minutes.` : "";
        const later =
            minutes > 1
                ? [
                      `Try again in ${minutes} minutes, or choose another model with /model or --model.`,
                  ]
                : nextSteps;
        const steps = later.length > 0 ? later : ["Send the message again later."];
        return new NorthError(code, `${asSentence(message)}${tries}${wait}`, steps, {
            cause: error,
        });
    }
}
