import { expect } from "chai";
import { auto } from "../../../src/builtin/slash/auto.js";
import { NOTHING_AUTOMATIC, openSlash } from "../../helpers/slash-session.js";
import { expectError } from "../../storage/expect-error.js";

describe("/auto", () => {
    const both = { editsAutoAccept: true, shellAutoApprove: true };

    it("/auto shows which approvals are automatic and how to revoke them", async () => {
        const { context, text, state } = openSlash();
        await auto.run("", context);
        expect(text()).to.contain("edits: automatic in this project (/auto edits off)");
        expect(text()).to.contain("commands: automatic in this project (/auto commands off)");
        expect(state.automatic).to.deep.equal(both);
    });

    it("Automatic approvals are revoked one by one or both, those of this run too", async () => {
        const { context, state } = openSlash();
        state.automaticThisRun = both;
        await auto.run("edits  off", context);
        const commandsOnly = { editsAutoAccept: false, shellAutoApprove: true };
        expect(state.automatic).to.deep.equal(commandsOnly);
        expect(state.automaticThisRun).to.deep.equal(commandsOnly);
        await auto.run("off", context);
        expect(state.automatic).to.deep.equal(NOTHING_AUTOMATIC);
        expect(state.automaticThisRun).to.deep.equal(NOTHING_AUTOMATIC);
    });

    it("Commands become automatic after a yes only, until North ends or for good", async () => {
        for (const confirms of [false, true]) {
            const { context, state, done } = openSlash({ confirms });
            state.automatic = NOTHING_AUTOMATIC;
            await auto.run("commands", context);
            expect(done.join()).to.match(
                /^Run all commands without asking, until you quit\? .* \(lasts\)$/
            );
            expect(state.automaticThisRun.shellAutoApprove).to.equal(confirms);
            expect(state.automatic.shellAutoApprove).to.equal(false);
            await auto.run("commands --always", context);
            expect(done.at(-1)).to.match(/from now on\? .* \(always\)$/);
            expect(state.automatic.shellAutoApprove).to.equal(confirms);
            expect(state.automatic.editsAutoAccept).to.equal(false);
        }
    });

    it("Unknown arguments to /auto make nothing automatic", async () => {
        for (const words of ["edits on", "--always", "shell off", "all"]) {
            const { context, state } = openSlash({ confirms: true });
            state.automatic = NOTHING_AUTOMATIC;
            const { message } = await expectError(() => auto.run(words, context), "invalid-usage");
            expect(message).to.equal(`Usage: ${auto.usage}`);
            expect(state.automatic).to.deep.equal(NOTHING_AUTOMATIC);
        }
    });
});
