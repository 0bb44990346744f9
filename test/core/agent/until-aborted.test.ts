import { expect } from "chai";
import { untilAborted } from "../../../src/core/agent/reply/coalesce.js";

describe("waiting until an abort", () => {
    const stopped = new Error("stopped");

    /** Failures that nobody hears of; one of them would end the program. */
    const unheard: unknown[] = [];
    const note = (reason: unknown) => unheard.push(reason);

    beforeEach(() => {
        unheard.length = 0;
        process.on("unhandledRejection", note);
    });
    afterEach(async () => {
        await new Promise((resolve) => setImmediate(resolve));
        process.off("unhandledRejection", note);
        expect(unheard).to.deep.equal([]);
    });

    async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
        return promise.then(
            () => undefined,
            (reason: unknown) => reason
        );
    }

    it("gives what is waited for, or why it failed", async () => {
        const { signal } = new AbortController();
        expect(await untilAborted(Promise.resolve(1), signal)).to.equal(1);
        const failure = new Error("failed");
        expect(await reasonOf(untilAborted(Promise.reject(failure), signal))).to.equal(failure);
    });

    it("ends with the signal's reason, and ignores how what it gave up ends", async () => {
        const controller = new AbortController();
        let fail: (error: Error) => void = () => {};
        const given = new Promise((_, reject) => (fail = reject));
        const waiting = reasonOf(untilAborted(given, controller.signal));
        controller.abort(stopped);
        expect(await waiting).to.equal(stopped);
        fail(new Error("too late"));
    });

    it("ignores it also where the signal was aborted before", async () => {
        const given = Promise.reject(new Error("at once"));
        const reason = await reasonOf(untilAborted(given, AbortSignal.abort(stopped)));
        expect(reason).to.equal(stopped);
    });
});
