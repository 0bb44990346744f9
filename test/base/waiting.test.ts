import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import { sleep, untilAborted, within, withTimeLimit } from "../../src/base/waiting.js";

const stopped = new Error("stopped");
const never = new Promise<never>(() => {});

async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
    return promise.then(
        () => undefined,
        (reason: unknown) => reason
    );
}

describe("waiting", () => {
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

    it("A promise that settles in time keeps its value or its failure", async () => {
        expect(await within(60_000, Promise.resolve(1), () => 2)).to.equal(1);
        expect(await reasonOf(within(60_000, Promise.reject(stopped), () => 2))).to.equal(stopped);
    });

    it("A promise that is too late yields the fallback or its error, and its own rejection is ignored", async () => {
        expect(await within(1, never, () => "late")).to.equal("late");
        let fail: (error: Error) => void = () => {};
        const given = new Promise((_, reject) => (fail = reject));
        const waiting = within(1, given, () => {
            throw stopped;
        });
        expect(await reasonOf(waiting)).to.equal(stopped);
        fail(new Error("too late"));
    });

    it("A promise that settles before the abort keeps its value or its failure", async () => {
        const { signal } = new AbortController();
        expect(await untilAborted(Promise.resolve(1), signal)).to.equal(1);
        expect(await reasonOf(untilAborted(Promise.reject(stopped), signal))).to.equal(stopped);
    });

    it("An abort ends the wait with the signal's reason, and a later rejection is ignored", async () => {
        const controller = new AbortController();
        let fail: (error: Error) => void = () => {};
        const given = new Promise((_, reject) => (fail = reject));
        const waiting = reasonOf(untilAborted(given, controller.signal));
        controller.abort(stopped);
        expect(await waiting).to.equal(stopped);
        fail(new Error("too late"));
    });

    it("An earlier abort wins over a promise that has settled already", async () => {
        const signal = AbortSignal.abort(stopped);
        const failed = Promise.reject(new Error("at once"));
        expect(await reasonOf(untilAborted(failed, signal))).to.equal(stopped);
        expect(await untilAborted(Promise.resolve(1), signal, () => 2)).to.equal(2);
    });

    const reasonAtAbort = (signal: AbortSignal) => reasonOf(untilAborted(never, signal));

    it("A time limit aborts its signal with a TimeoutError or the given reason", async () => {
        const reason = await withTimeLimit(1, reasonAtAbort);
        expect(reason).to.have.property("name", "TimeoutError");
        expect(await withTimeLimit(1, reasonAtAbort, { reason: () => stopped })).to.equal(stopped);
    });

    it("A time limit's signal aborts with its parent, even one that was already aborted", async () => {
        const controller = new AbortController();
        const waiting = withTimeLimit(60_000, reasonAtAbort, controller);
        controller.abort(stopped);
        expect(await waiting).to.equal(stopped);
        expect(await withTimeLimit(60_000, reasonAtAbort, controller)).to.equal(stopped);
    });

    it("A time limit on another clock fires only once that clock has run out", async () => {
        const spent = [0, 10, 49, 50];
        const reason = withTimeLimit(50, reasonAtAbort, { spentMs: () => spent.shift() ?? 50 });
        expect(await reason).to.have.property("name", "TimeoutError");
        expect(spent).to.deep.equal([]);
    });

    it("A time limit fires in a process that collects garbage all the time", async function () {
        const waitingUrl = new URL("../../src/base/waiting.ts", import.meta.url);
        const program = `
            import { withTimeLimit } from ${JSON.stringify(waitingUrl.href)};
            setInterval(gc, 5);
            setTimeout(() => process.exit(1), 10_000);
            const nameAtAbort = (signal) =>
                new Promise((resolve) => {
                    signal.addEventListener("abort", () => resolve(signal.reason.name));
                });
            const { signal } = new AbortController();
            console.log(await withTimeLimit(200, nameAtAbort, { signal }));
            process.exit();`;
        const { stdout } = await promisify(execFile)(process.execPath, [
            ...["--expose-gc", "--import", "tsx", "--input-type=module", "--eval", program],
        ]);
        expect(stdout).to.equal("TimeoutError\n");
    });

    it("Sleep ends by itself, or with the signal's reason", async () => {
        await sleep(1);
        expect(await reasonOf(sleep(60_000, AbortSignal.abort(stopped)))).to.equal(stopped);
        const controller = new AbortController();
        const sleeping = reasonOf(sleep(60_000, controller.signal));
        controller.abort(stopped);
        expect(await sleeping).to.equal(stopped);
    });
});
