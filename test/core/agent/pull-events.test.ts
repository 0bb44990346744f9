import { expect } from "chai";

import { OneTurn } from "../../../src/core/one-turn.js";
import type { AgentEvent } from "../../../src/core/agent/events.js";

const notice = (text: string): AgentEvent => ({ type: "notice", text });

function collector() {
    const seen: string[] = [];
    return {
        seen,
        collect: (event: AgentEvent) => void seen.push("text" in event ? event.text : ""),
    };
}

describe("Pulling a turn's events", () => {
    it("Every event is delivered, and iteration ends with the generator", async () => {
        async function* events() {
            yield notice("one");
            yield notice("two");
        }
        const { seen, collect } = collector();
        const pulled = await new OneTurn().pull(events(), collect, new AbortController().signal);
        expect(pulled).to.equal(true);
        expect(seen).to.deep.equal(["one", "two"]);
    });

    it("Events of a cancelled turn are still delivered", async () => {
        const controller = new AbortController();
        async function* events() {
            await new Promise((resolve) => controller.signal.addEventListener("abort", resolve));
            yield notice("cancelled");
        }
        const { seen, collect } = collector();
        const turns = new OneTurn();
        const pulling = turns.pull(events(), collect, controller.signal);
        controller.abort();
        expect(await pulling).to.equal(true);
        expect(seen).to.deep.equal(["cancelled"]);
    });

    it("A turn that hangs after its cancel is abandoned, and its end is reported", async () => {
        const controller = new AbortController();
        let release = (): void => {};
        let isCleanedUp = false;
        async function* events() {
            try {
                yield notice("one");
                await new Promise<void>((resolve) => (release = resolve));
                yield notice("too late");
            } finally {
                isCleanedUp = true;
            }
        }
        const { seen, collect } = collector();
        const turns = new OneTurn();
        const pulling = turns.pull(events(), collect, controller.signal);
        controller.abort();
        const pulled = await pulling;
        expect(isCleanedUp).to.equal(false);
        release();
        await turns.settle(new AbortController().signal);
        expect(pulled).to.equal(false);
        expect(isCleanedUp).to.equal(true);
        expect(seen).to.deep.equal(["one"]);
    });

    it("An error of the generator rejects the iteration", async () => {
        async function* events(): AsyncGenerator<AgentEvent, void> {
            throw new Error("broken");
        }
        const { collect } = collector();
        const error = await new OneTurn()
            .pull(events(), collect, new AbortController().signal)
            .catch((reason: unknown) => reason);
        expect(error).to.be.an("error").with.property("message", "broken");
    });
});
