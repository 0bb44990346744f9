import { expect } from "chai";
import { retryAfterMs } from "../../src/provider-kit/retry-after.js";

describe("Retry delay", () => {
    const now = Date.parse("2026-11-22T10:00:00Z");

    for (const [headers, expected] of [
        [{}, undefined],
        [{ "retry-after": "1.5" }, 1_500],
        [{ "retry-after": "0" }, 0],
        [{ "retry-after": "Sun, 22 Nov 2026 10:00:30 GMT" }, 30_000],
        [{ "retry-after": "Sun, 22 Nov 2026 09:00:00 GMT" }, 0],
        [{ "retry-after": "soon" }, undefined],
        [{ "retry-after": "" }, undefined],
        [{ "retry-after-ms": "20", "retry-after": "5" }, 20],
        [{ "retry-after-ms": "x", "retry-after": "5" }, 5_000],
    ] as const) {
        it(`The delay is ${expected} for ${JSON.stringify(headers)}`, () => {
            expect(retryAfterMs(new Headers(headers), now)).to.equal(expected);
        });
    }
});
