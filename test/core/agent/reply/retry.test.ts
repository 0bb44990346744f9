import { expect } from "chai";
import { retryDecision } from "../../../../src/core/agent/reply/retry.js";
import { NorthError } from "../../../../src/base/north-error.js";

const overloaded = (retryAfterMs?: number, nextSteps: string[] = []) =>
    new NorthError("overloaded", "The vendor is overloaded", nextSteps, {
        retryable: true,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });

function delayOf(error: unknown, attempt: number, random: number): number {
    const decision = retryDecision(error, attempt, () => random);
    if (decision.kind !== "retry") throw new Error("It gives up");
    return decision.delayMs;
}

function lastWords(error: unknown, attempt: number): unknown {
    const decision = retryDecision(error, attempt, () => 0.5);
    if (decision.kind !== "give-up") throw new Error("It goes on");
    return decision.error;
}

describe("Retry policy", () => {
    it("Retries come after about 1, 2 and 4 s, give or take a quarter", () => {
        for (const [attempt, seconds] of [
            [1, 1],
            [2, 2],
            [3, 4],
        ] as const) {
            expect(delayOf(overloaded(), attempt, 0.5)).to.equal(seconds * 1_000);
            expect(delayOf(overloaded(), attempt, 0)).to.equal(seconds * 750);
            expect(delayOf(overloaded(), attempt, 1)).to.equal(seconds * 1_250);
        }
    });

    it("A retry honours the vendor's delay and never undercuts the back-off", () => {
        expect(delayOf(overloaded(7_000), 1, 0.5)).to.equal(7_000);
        expect(delayOf(overloaded(10), 2, 0.5)).to.equal(2_000);
    });

    it("After three retries the error says so and what to do next", () => {
        expect(lastWords(overloaded(), 4)).to.deep.include({
            code: "overloaded",
            message: "The vendor is overloaded. It was tried 4 times.",
            nextSteps: ["Send the message again in a while."],
        });
        expect(lastWords(overloaded(0, ["Choose another."]), 4)).to.deep.include({
            nextSteps: ["Choose another."],
        });
    });

    it("A vendor that asks for minutes ends the retries, and the error says how many", () => {
        expect(lastWords(overloaded(600_000), 1)).to.include({
            message: "The vendor is overloaded. It asks to wait for 10 minutes.",
        });
    });

    it("An error that no retry can fix is reported unchanged", () => {
        const denied = new NorthError("authentication", "No.");
        const bug = new TypeError("x is undefined");
        expect(lastWords(denied, 1)).to.equal(denied);
        expect(lastWords(bug, 1)).to.equal(bug);
    });
});
