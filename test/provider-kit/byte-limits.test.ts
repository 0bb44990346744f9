import { expect } from "chai";
import { withByteLimits } from "../../src/provider-kit/byte-limits.js";

const LEAST = { requestMs: 1, silenceMs: 1 };
const ENOUGH = { requestMs: 60_000, silenceMs: 60_000 };

/** Answers whose body is this stream. */
function answering(body: ReadableStream<Uint8Array>): typeof fetch {
    return async () => new Response(body);
}

describe("the limits of an answer's silence", () => {
    it("do not count the time in which the reader pauses: nothing is asked for meanwhile", async () => {
        const pieces = ["a", "b", "c"];
        let asked = 0;
        const body = new ReadableStream<Uint8Array>(
            {
                pull(controller) {
                    const piece = pieces[asked];
                    asked += 1;
                    if (piece === undefined) controller.close();
                    else controller.enqueue(Buffer.from(piece));
                },
            },
            { highWaterMark: 0 }
        );
        const response = await withByteLimits(answering(body), ENOUGH)("http://a");
        let said = "";
        for await (const piece of response.body ?? []) {
            said += Buffer.from(piece).toString();
            expect(asked).to.equal(said.length);
        }
        expect(said).to.equal("abc");
    });

    it("end an answer that is silent, and give it up", async () => {
        let cancelled: unknown;
        const body = new ReadableStream<Uint8Array>({
            cancel: (reason) => {
                cancelled = reason;
            },
        });
        const response = await withByteLimits(answering(body), LEAST)("http://a");
        const error = await response.text().catch((failure: unknown) => failure);
        expect(error).to.include({ code: "timeout", retryable: true });
        expect(cancelled).to.equal(error);
    });
});
