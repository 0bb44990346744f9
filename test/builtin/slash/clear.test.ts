import { expect } from "chai";
import { clear } from "../../../src/builtin/slash/clear.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/clear", () => {
    it("/clear says that the conversation continues, and how to start another", async () => {
        const { context, printed } = openSlash({
            replies: [{ provider: "anthropic", model: "sonnet", usage: {}, costUsd: 0 }],
        });
        await clear.run("", context);
        expect(printed).to.deep.equal([
            "Screen cleared; the conversation continues (1.3K tokens). /new starts a new one.",
        ]);
    });
});
