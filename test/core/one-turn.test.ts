import { expect } from "chai";
import { whenAborted } from "../../src/base/waiting.js";
import type { AgentEvent } from "../../src/core/agent/events.js";
import { OneTurn } from "../../src/core/one-turn.js";

/** A turn that ignores its signal until it is released. */
function hangingTurn() {
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    async function* events(): AsyncGenerator<AgentEvent, void> {
        yield { type: "text-delta", text: "Begun" };
        await gate;
    }
    return { events: events(), release };
}

/** Runs a turn, and cancels it at its first event. */
const cancelled = (turns: OneTurn, events: AsyncGenerator<AgentEvent, void>) =>
    turns.run((signal) => turns.pull(events, () => turns.cancel(), signal));

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
        () => "ok",
        (error: unknown) => (error as { code?: string }).code
    );

describe("One turn at a time", () => {
    it("A second turn is refused while one runs, and runs after it", async () => {
        const turns = new OneTurn();
        const first = turns.run((signal) => whenAborted(signal).then(() => "first"));
        expect(await codeOf(turns.run(async () => "second"))).to.equal("turn-running");
        turns.cancel();
        expect(await first).to.equal("first");
        expect(await turns.run(async () => "second")).to.equal("second");
    });

    it("A turn that fails leaves room for the next", async () => {
        const turns = new OneTurn();
        const failed = turns.run(() => Promise.reject(new Error("broken")));
        expect(await failed.catch(String)).to.equal("Error: broken");
        expect(await turns.run(async () => "next")).to.equal("next");
    });

    it("A cancelled turn that hangs gives the session back, and the next turn waits for its end", async () => {
        const turns = new OneTurn();
        const { events, release } = hangingTurn();
        expect(await cancelled(turns, events)).to.equal(false);
        expect(turns.hangs).to.equal(true);
        const next = turns.run((signal) => turns.settle(signal).then(() => turns.hangs));
        release();
        expect(await next).to.equal(false);
    });

    it("A cancel ends the wait for a turn that hangs", async () => {
        const turns = new OneTurn();
        const { events, release } = hangingTurn();
        await cancelled(turns, events);
        const waiting = turns.run((signal) => turns.settle(signal).then(() => signal.aborted));
        turns.cancel();
        expect(await waiting).to.equal(true);
        release();
    });

    it("Closing cancels the turn and waits for its end", async () => {
        const turns = new OneTurn();
        let isEnded = false;
        void turns.run((signal) => whenAborted(signal).then(() => void (isEnded = true)));
        await turns.close();
        expect(isEnded).to.equal(true);
    });
});
