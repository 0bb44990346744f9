import { expect } from "chai";
import { fork } from "../../../src/builtin/slash/fork.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/fork", () => {
    it("/fork takes a turn number, reports what it keeps, and refuses anything else", async () => {
        const { context, done, text } = openSlash();
        await fork.run("", context);
        await fork.run(" 3 ", context);
        expect(done).to.deep.equal(["fork undefined", "fork 3", "show"]);
        expect(text()).to.contain("Forked abc123 after turn 3. `/resume abc123` returns to it.");
        expect(text()).to.contain("2 later edits stay.");
        const refused = await fork.run("the third", context).catch(String);
        expect(refused).to.contain('"the third" is not a turn number.');
    });
});
