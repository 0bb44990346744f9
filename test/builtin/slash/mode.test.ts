import { expect } from "chai";
import { mode } from "../../../src/builtin/slash/mode.js";
import { openSlash } from "../../helpers/slash-session.js";
import { expectError } from "../../storage/expect-error.js";

describe("/mode", () => {
    it("/mode sets the mode by name or by choice", async () => {
        const { context, state } = openSlash({ picks: "agent" });
        await mode.run("ask", context);
        expect(state.mode).to.equal("ask");
        await mode.run("", context);
        expect(state.mode).to.equal("agent");
    });

    it("/mode refuses an unknown mode", async () => {
        const { context, state } = openSlash();
        const { message } = await expectError(() => mode.run("code", context), "invalid-usage");
        expect(state.mode).to.equal("agent");
        expect(message).to.equal('There is no mode "code". Usage: /mode [ask|plan|draft|agent]');
    });

    it("/mode completes each mode", async () => {
        const { context } = openSlash();
        const choices = await mode.complete?.("a", context);
        expect(choices?.map(({ value }) => value)).to.deep.equal(["ask", "agent"]);
    });
});
