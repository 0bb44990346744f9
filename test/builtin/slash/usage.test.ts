import { expect } from "chai";
import { usage } from "../../../src/builtin/slash/usage.js";
import type { ReplyUsage } from "../../../src/plugin/index.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/usage", () => {
    const reply = (counts: ReplyUsage["usage"]): ReplyUsage => ({
        provider: "anthropic",
        model: "sonnet",
        usage: counts,
        costUsd: null,
    });

    it("/usage adds up each kind of token and says how much came from the cache", async () => {
        const first = reply({ inputTokens: 1_000, cacheWriteTokens: 3_000, outputTokens: 50 });
        const others = Array.from({ length: 6 }, () =>
            reply({ inputTokens: 0, cacheReadTokens: 4_000, outputTokens: 10 })
        );
        const { context, text } = openSlash({ replies: [first, ...others] });
        await usage.run("", context);
        expect(text()).to.equal(
            [
                "This conversation, in tokens",
                "  input              1,000",
                "  read from cache   24,000",
                "  written to cache   3,000",
                "  output               110",
                "7 requests; 86% of what was sent came from the cache",
                "  3. 4,000 in (100% cached), 10 out  sonnet",
                "  4. 4,000 in (100% cached), 10 out  sonnet",
                "  5. 4,000 in (100% cached), 10 out  sonnet",
                "  6. 4,000 in (100% cached), 10 out  sonnet",
                "  7. 4,000 in (100% cached), 10 out  sonnet",
                "Context: 1,300 of 200,000 tokens (1%)",
            ].join("\n")
        );
    });

    it("/usage says 100% only if all of it came from the cache", async () => {
        const { context, text } = openSlash({
            replies: [reply({ inputTokens: 4, cacheReadTokens: 996, outputTokens: 1 })],
        });
        await usage.run("", context);
        expect(text()).to.contain("1 request; 99% of what was sent came from the cache");
    });

    it("/usage says when no tokens have been used yet", async () => {
        const { context, text } = openSlash();
        await usage.run("", context);
        expect(text()).to.contain("  nothing yet\nContext: 1,300");
    });
});
