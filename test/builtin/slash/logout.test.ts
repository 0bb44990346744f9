import { expect } from "chai";
import { logout } from "../../../src/builtin/slash/logout.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/logout", () => {
    it("/logout removes the key of the current or the named provider and says what remains", async () => {
        const { context, done, printed } = openSlash();
        await logout.run("", context);
        await logout.run(" openai ", context);
        expect(done).to.deep.equal(["forget anthropic", "forget openai"]);
        expect(printed).to.deep.equal([
            "The key for anthropic is forgotten.",
            "The key for openai is forgotten.",
        ]);
    });

    it("/logout completes the providers that need a key", async () => {
        const { context } = openSlash();
        expect(await logout.complete?.("o", context)).to.deep.equal([{ value: "openai" }]);
    });
});
