import { expect } from "chai";
import { type Outlet, relayEvents } from "../../../../src/core/agent/calls/relay.js";
import type { Turn } from "../../../../src/core/agent/turn.js";

describe("Relayed events", () => {
    const relayed = (work: (outlet: Outlet) => Promise<void>) =>
        relayEvents({ signal: new AbortController().signal } as Turn, work);

    it("200,000 events that wait for a slow reader are passed on in order, in linear time", async () => {
        let expected = 0;
        const events = relayed(async ({ emit }) => {
            for (let number = 0; number < 200_000; number += 1) {
                emit({ type: "notice", text: String(number) });
            }
        });
        for await (const event of events) {
            const text = "text" in event ? event.text : undefined;
            if (text !== String(expected)) expect(text).to.equal(String(expected));
            expected += 1;
        }
        expect(expected).to.equal(200_000);
    });

    it("What is emitted while earlier events are read comes after them", async () => {
        const seen: string[] = [];
        let emitMore = () => {};
        const events = relayed(async ({ emit }) => {
            for (const text of ["a", "b"]) emit({ type: "notice", text });
            await new Promise<void>((resolve) => {
                emitMore = () => {
                    emit({ type: "notice", text: "c" });
                    resolve();
                };
            });
        });
        for await (const event of events) {
            if (event.type === "notice") seen.push(event.text);
            if (seen.length === 1) emitMore();
        }
        expect(seen).to.deep.equal(["a", "b", "c"]);
    });
});
