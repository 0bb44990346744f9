import { expect } from "chai";
import { resume } from "../../../src/builtin/slash/resume.js";
import { EARLIER, openSlash } from "../../helpers/slash-session.js";

describe("/resume", () => {
    it("/resume takes an id, completes it, and offers the list without one", async () => {
        const { context, done, offered } = openSlash({ conversations: [EARLIER] });
        await resume.run(" 3fa2c1 ", context);
        expect(done).to.deep.equal(["resume 3fa2c1", "show"]);
        expect(await resume.complete?.("3f", context)).to.deep.equal([
            { value: "3fa2c1", description: "Fix the retry logic" },
        ]);
        await resume.run("", context);
        expect(offered.length).to.equal(1);
    });

    it("/resume takes a name in any case, and completes it", async () => {
        const named = { ...EARLIER, name: "Login fix" };
        const { context, done } = openSlash({ conversations: [named] });
        await resume.run("login FIX", context);
        expect(done[0]).to.equal(`resume ${EARLIER.id}`);
        expect(await resume.complete?.("log", context)).to.deep.equal([
            { value: EARLIER.id, description: "Login fix" },
        ]);
    });
});
