import { expect } from "chai";
import { summarize } from "../../../src/builtin/slash/summarize.js";
import { openSlash } from "../../helpers/slash-session.js";
import { expectError } from "../../storage/expect-error.js";

describe("/summarize", () => {
    it("/summarize says what it saved and keeps the given number of messages", async () => {
        const { context, done, text } = openSlash();
        await summarize.run(" --keep-last 4", context);
        expect(done).to.deep.equal(["Summarizing the conversation", "summarize 4"]);
        expect(text()).to.equal(
            "The server is busy.\n12 messages summarized: 184,000 tokens before, 21,500 now."
        );
        await summarize.run("", context);
        expect(done.at(-1)).to.equal("summarize undefined");
    });

    it("/summarize shows its usage for an invalid number", async () => {
        for (const typed of ["--keep-last", "--keep-last 0", "4", "--keep-last x"]) {
            const { context, done } = openSlash();
            const failure = await expectError(() => summarize.run(typed, context), "invalid-usage");
            expect(done).to.deep.equal([]);
            expect(failure.message).to.equal("Usage: /summarize [--keep-last N]");
        }
    });
});
