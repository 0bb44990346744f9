import { expect } from "chai";
import { undo } from "../../../src/builtin/slash/undo.js";
import { openSlash } from "../../helpers/slash-session.js";
import { expectError } from "../../storage/expect-error.js";

describe("/undo", () => {
    it("/undo shows the changes and reverts them after a yes", async () => {
        const { context, done, text } = openSlash({ confirms: true });
        await undo.run("", context);
        expect(done).to.deep.equal([
            "Comparing the files",
            "Undo these changes: a.txt",
            "Writing the changes",
            "applied undefined",
        ]);
        expect(text()).to.equal("Undid the edits to 1 file. /undo again redoes them.");
    });

    it("/undo changes nothing after a no", async () => {
        const { context, done, text } = openSlash();
        await undo.run("3", context);
        expect(done).to.deep.equal(["Comparing the files", "Undo these changes: a.txt"]);
        expect(text()).to.equal("Nothing changed.");
    });

    it("/undo takes a number of turns and announces a redo", async () => {
        const { context, done } = openSlash({ confirms: true, isRedo: true });
        await undo.run("2", context);
        expect(done).to.deep.equal([
            "Comparing the files",
            "Redo these changes: a.txt",
            "Writing the changes",
            "applied 2",
        ]);
    });

    it("/undo accepts only a number", async () => {
        const { context, done } = openSlash({ confirms: true });
        for (const argument of ["0", "-1", "all", "1.5"]) {
            const { message } = await expectError(
                () => undo.run(argument, context),
                "invalid-usage"
            );
            expect(message).to.equal("Usage: /undo [TURNS]");
        }
        expect(done).to.deep.equal([]);
    });
});
