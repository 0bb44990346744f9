import { expect } from "chai";
import { clear } from "../../../src/builtin/slash/clear.js";
import { exit, quit } from "../../../src/builtin/slash/quit.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/quit", () => {
    it("/quit and /exit quit, and /clear clears the screen", async () => {
        const { context, done } = openSlash();
        await quit.run("", context);
        await exit.run("", context);
        await clear.run("", context);
        expect(done).to.deep.equal(["quit", "quit", "clear"]);
    });
});
