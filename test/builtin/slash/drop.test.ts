import { expect } from "chai";
import { drop } from "../../../src/builtin/slash/drop.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/drop", () => {
    it("/drop shows the edits of a turn and reverts them after a yes", async () => {
        const { context, done, text } = openSlash({ confirms: true });
        await drop.run("4", context);
        expect(done).to.deep.equal([
            "Comparing the files",
            "Drop these edits: a.txt",
            "Writing the changes",
            "dropped 4",
        ]);
        expect(text()).to.equal("Dropped the edits of turn 4 from 1 file. /undo reverses it.");
    });

    it("/drop shows conflicts and asks nothing", async () => {
        const { context, done, text } = openSlash();
        await drop.run("1", context);
        expect(done).to.deep.equal(["Comparing the files"]);
        expect(text()).to.match(/Nothing was written\.\n+a\.ts:3$/);
    });

    it("/drop completes the numbers of turns with edits in place", async () => {
        const { context } = openSlash();
        expect(await drop.complete?.("", context)).to.deep.equal([
            { value: "4", description: "Rename it" },
        ]);
    });
});
