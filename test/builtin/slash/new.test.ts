import { expect } from "chai";
import { newConversation } from "../../../src/builtin/slash/new.js";
import { EARLIER, openSlash } from "../../helpers/slash-session.js";

describe("/new", () => {
    it("/new starts a new conversation and says how to return to a non-empty one", async () => {
        const { context, done, text } = openSlash({
            conversations: [{ ...EARLIER, id: "abc123" }],
        });
        await newConversation.run("", context);
        expect(done).to.deep.equal(["new"]);
        expect(text()).to.contain("/resume abc123");
        const silent = openSlash();
        await newConversation.run("", silent.context);
        expect(silent.text()).to.equal("New conversation.");
    });
});
