import { expect } from "chai";
import { name } from "../../../src/builtin/slash/name.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/name", () => {
    it("/name sets the conversation's name, and shows it without an argument", async () => {
        const { context, text } = openSlash();
        await name.run("", context);
        await name.run(' "Login fix" ', context);
        expect(text()).to.equal(
            "This conversation has no name. `/name TEXT` gives it one.\n" +
                'This conversation is called "Login fix".'
        );
    });
});
