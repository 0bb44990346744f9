import { expect } from "chai";
import { context as contextCommand } from "../../../src/builtin/slash/context.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/context", () => {
    it("/context shows each part with its tokens and share, the total and the limit", async () => {
        const { context, text } = openSlash();
        await contextCommand.run("", context);
        expect(text().split("\n")).to.deep.equal([
            "Context, in estimated tokens",
            "  system prompt    1,234  0.6%",
            "  memory              50  0.0%",
            "  total            1,284  0.6%",
            "  limit          200,000",
            "Last request, as counted by the provider: 1,300 tokens.",
        ]);
    });

    it("/context says what a small window leaves out", async () => {
        const { context, text } = openSlash();
        const { conversation } = context;
        const usage = { ...conversation.contextUsage(), leftOut: "22 tools are left out." };
        await contextCommand.run("", {
            ...context,
            conversation: { ...conversation, contextUsage: () => usage },
        });
        expect(text().split("\n").at(-1)).to.equal("22 tools are left out.");
    });
});
