import { expect } from "chai";
import { Retries, type RetryDecision } from "../../../../src/core/agent/reply/retry.js";
import { NorthError } from "../../../../src/base/north-error.js";

const failure = (code: string, retryAfterMs?: number, nextSteps: string[] = []) =>
    new NorthError(code, "The vendor is overloaded", nextSteps, {
        retryable: true,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
const overloaded = (retryAfterMs?: number, nextSteps?: string[]) =>
    failure("overloaded", retryAfterMs, nextSteps);

function retries(random = 0.5, now = () => 0): Retries {
    return new Retries({ now, random: () => random });
}

function delayOf(decision: RetryDecision): number {
    if (decision.kind !== "retry") throw new Error("It gives up");
    return decision.delayMs;
}

/** The delays of all retries after the same failure, and the error that ends them. */
function untilGivenUp(error: Error, plan = retries()): { delays: number[]; error: unknown } {
    const delays: number[] = [];
    for (;;) {
        const decision = plan.next(error);
        if (decision.kind === "give-up") return { delays, error: decision.error };
        delays.push(decision.delayMs);
    }
}

describe("Retry policy", () => {
    it("Waits grow from 1 s to 30 s, give or take a quarter", () => {
        for (const [random, share] of [
            [0, 0.75],
            [0.5, 1],
            [1, 1.25],
        ] as const) {
            const plan = retries(random);
            const delays = [1, 2, 3, 4, 5, 6, 7].map(() => delayOf(plan.next(overloaded())));
            expect(delays.map((delay) => delay / share / 1_000)).to.deep.equal([
                1, 2, 4, 8, 16, 30, 30,
            ]);
        }
    });

    it("A retry honours the vendor's delay and never undercuts the back-off", () => {
        expect(delayOf(retries().next(overloaded(7_000)))).to.equal(7_000);
        const plan = retries();
        plan.next(overloaded(10));
        expect(delayOf(plan.next(overloaded(10)))).to.equal(2_000);
    });

    it("Overload, rate limits and a lost network are waited out for ten minutes", () => {
        for (const code of ["overloaded", "rate-limited", "network"]) {
            const { delays } = untilGivenUp(failure(code));
            const sum = delays.reduce((total, delay) => total + delay, 0);
            expect(sum, code).to.be.within(570_000, 600_000);
        }
    });

    it("The time that attempts take counts as waiting", () => {
        let now = 0;
        const { delays } = untilGivenUp(
            overloaded(),
            retries(0.5, () => (now += 120_000))
        );
        expect(delays).to.have.length.below(6);
    });

    it("A reply that breaks off after more than ten minutes is asked for again", () => {
        let now = 0;
        const plan = retries(0.5, () => now);
        now += 11 * 60_000;
        expect(plan.next(failure("network")).kind).to.equal("retry");
        expect(plan.next(failure("timeout")).kind).to.equal("retry");
    });

    it("A silent server is asked three times, other failures are retried three times", () => {
        expect(untilGivenUp(failure("timeout")).delays).to.have.length(2);
        expect(untilGivenUp(failure("server-error")).delays).to.have.length(3);
        expect(untilGivenUp(failure("incomplete-stream")).delays).to.have.length(3);
    });

    it("An outage uses up no retries of other failures", () => {
        const plan = retries();
        for (let count = 0; count < 5; count += 1) plan.next(failure("network"));
        expect(untilGivenUp(failure("server-error"), plan).delays).to.have.length(3);
    });

    it("The last error says how often and how long it was tried, and what to do next", () => {
        expect(untilGivenUp(failure("server-error")).error).to.deep.include({
            code: "server-error",
            message: "The vendor is overloaded. Tried 4 times in 7s.",
            nextSteps: ["Send the message again later."],
        });
        expect(untilGivenUp(overloaded(0, ["Choose another."])).error).to.deep.include({
            nextSteps: ["Choose another."],
        });
    });

    it("A vendor delay over ten minutes ends the retries, and the error says how many minutes", () => {
        expect(untilGivenUp(overloaded(900_000)).error).to.include({
            message: "The vendor is overloaded. The server asks for a wait of 15 minutes.",
        });
    });

    it("An error that no retry can fix is reported unchanged", () => {
        const denied = new NorthError("authentication", "No.");
        const bug = new TypeError("x is undefined");
        expect(untilGivenUp(denied)).to.deep.equal({ delays: [], error: denied });
        expect(untilGivenUp(bug)).to.deep.equal({ delays: [], error: bug });
    });
});
