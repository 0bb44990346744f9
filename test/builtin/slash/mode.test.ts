import { expect } from "chai";
import { mode } from "../../../src/builtin/slash/mode.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/mode", () => {
    it("/mode sets the mode by name or by choice", async () => {
        const { context, state } = openSlash({ picks: "agent" });
        await mode.run("ask", context);
        expect(state.mode).to.equal("ask");
        await mode.run("", context);
        expect(state.mode).to.equal("agent");
    });

    it("/mode refuses an unknown mode", async () => {
        const { context, state, text } = openSlash();
        await mode.run("plan", context);
        expect(state.mode).to.equal("agent");
        expect(text()).to.contain('no mode "plan"').and.to.contain("/mode [ask|agent]");
    });

    it("/mode completes both modes", async () => {
        const { context } = openSlash();
        const choices = await mode.complete?.("a", context);
        expect(choices?.map(({ value }) => value)).to.deep.equal(["ask", "agent"]);
    });
});
