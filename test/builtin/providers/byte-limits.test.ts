import { expect } from "chai";
import { withByteLimits } from "../../../src/builtin/providers/byte-limits.js";

const LEAST = { firstByteMs: 1, silenceMs: 1 };

/** Answers whose body is this stream. */
function answering(body: ReadableStream<Uint8Array>): typeof fetch {
    return async () => new Response(body);
}

describe("the limits of an answer's silence", () => {
    it("do not count the time in which the reader pauses", async () => {
        const pieces = ["a", "b", "c"].map((text) => Buffer.from(text));
        const body = new ReadableStream<Uint8Array>({
            start(controller) {
                for (const piece of pieces) controller.enqueue(piece);
                controller.close();
            },
        });
        const response = await withByteLimits(answering(body), LEAST)("http://a");
        let said = "";
        for await (const piece of response.body ?? []) {
            said += Buffer.from(piece).toString();
            await new Promise((resolve) => setTimeout(resolve, 20));
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
