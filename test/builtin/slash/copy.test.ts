import { expect } from "chai";
import { copy } from "../../../src/builtin/slash/copy.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/copy", () => {
    const lastAnswer = [
        "Run it:",
        "```sh",
        "npm test",
        "```",
        "- then",
        "  ````md",
        "  ```",
        "    in",
        "  ````",
    ].join("\n");
    const nextSteps = (error: unknown) => Reflect.get(Object(error), "nextSteps");

    it("/copy copies the last answer, or one of its code blocks without its fence", async () => {
        const { context, done, text } = openSlash({ lastAnswer });
        for (const wanted of ["", "1", " 2 "]) await copy.run(wanted, context);
        expect(done).to.deep.equal([`copy ${lastAnswer}`, "copy npm test", "copy ```\n  in"]);
        expect(text()).to.equal(
            "Copied the answer (9 lines).\nCopied code block 1 of 2.\nCopied code block 2 of 2."
        );
    });

    it("/copy says how many code blocks there are, and when there is no answer", async () => {
        for (const wanted of ["3", "0"]) {
            const refused = await copy
                .run(wanted, openSlash({ lastAnswer }).context)
                .catch(nextSteps);
            expect(refused).to.deep.equal(["The last answer has 2 code blocks."]);
        }
        const silent = await copy.run("", openSlash().context).catch((error: unknown) => error);
        expect(String(silent)).to.contain("no answer to copy");
        expect(nextSteps(silent)).to.deep.equal(["Send a message first."]);
    });
});
