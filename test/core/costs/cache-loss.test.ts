import { expect } from "chai";
import {
    cacheLossOf,
    cacheLossText,
    type SentRequest,
} from "../../../src/core/costs/cache-loss.js";
import type { Usage } from "../../../src/plugin/index.js";
import type { Entry } from "../../../src/plugin/records.js";
import { scriptedModelInfo } from "../../helpers/scripted-model.js";

const MINUTE = 60_000;
const prices = {
    input: 5,
    cacheWrite: 6,
    cacheWriteLong: 10,
    cacheRead: 0.5,
    output: 25,
    asOf: "",
    source: "",
};
const model = { ...scriptedModelInfo, prices };

/** What is told of a second request that read so much, when the first one wrote 100,000 tokens. */
function told(usage: Usage, changes: Partial<SentRequest> = {}, isSummarized = false) {
    const base = { id: "", at: 0 };
    const message = { ...base, kind: "user", mode: "agent", text: "", content: [] } as const;
    const first: Usage = { inputTokens: 10, cacheWriteTokens: 100_000, outputTokens: 500 };
    const reply: Entry = {
        ...base,
        kind: "assistant",
        provider: "scripted",
        model: model.id,
        status: "complete",
        content: [],
        usage: first,
    };
    const contextTokens = isSummarized ? 0 : 100_510;
    const sent: SentRequest = {
        conversation: { entries: [message, reply, message], isSummarized, contextTokens },
        provider: "scripted",
        mode: "agent",
        at: 7 * MINUTE,
        model,
        ...changes,
    };
    const loss = cacheLossOf(sent, usage);
    return loss && cacheLossText(loss);
}

const LOST: Usage = { inputTokens: 10, cacheWriteTokens: 101_000, outputTokens: 500 };

describe("Lost caches", () => {
    it("A request that misses a cache of 7 minutes ago reports it with its cost", () => {
        // 100,010 tokens at $6 in place of $0.5 a million.
        expect(told(LOST)).to.equal("cache miss: paused 7 min, $0.55 extra");
    });

    it("The loss is billed at the dearest kind of token that the cache would have saved", () => {
        const long: Usage = { cacheWriteLongTokens: 101_000 };
        expect(told(long)).to.equal("cache miss: paused 7 min, $0.95 extra");
    });

    it("Another model, a summary and another mode are named as reasons, before a pause", () => {
        expect(told(LOST, { provider: "other" })).to.equal(
            "cache miss: another model, $0.55 extra"
        );
        expect(told(LOST, {}, true)).to.equal("cache miss: summary, $0.55 extra");
        expect(told(LOST, { mode: "ask" })).to.equal("cache miss: tools changed, $0.55 extra");
        expect(told(LOST, { at: MINUTE })).to.equal(
            "cache miss: the provider dropped it, $0.55 extra"
        );
    });

    it("A request that reads the cache, or has a short prompt, reports no loss", () => {
        expect(told({ cacheReadTokens: 100_000, cacheWriteTokens: 1_000 })).to.equal(undefined);
        expect(told({ cacheReadTokens: 60_000, cacheWriteTokens: 41_000 })).to.equal(undefined);
        expect(told({ inputTokens: 4_000 }, {}, true)).to.equal(undefined);
    });

    it("Unknown prices and losses below a cent are not reported", () => {
        expect(told(LOST, { model: scriptedModelInfo })).to.equal(undefined);
        const cheap = { ...model, prices: { ...prices, cacheWrite: 0.55 } };
        expect(told(LOST, { model: cheap })).to.equal(undefined);
    });
});
