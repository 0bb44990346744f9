import { expect } from "chai";
import { memory } from "../../../src/builtin/slash/memory.js";
import { openSlash } from "../../helpers/slash-session.js";
import { expectError } from "../../storage/expect-error.js";

describe("/memory", () => {
    it("/memory lists project and global entries with one numbering", async () => {
        const { context, text } = openSlash();
        await memory.run("", context);
        expect(text()).to.equal("In this project:\n  1. Use tabs\nEverywhere:\n  2. Be brief");
    });

    it("/memory adds to the project, or globally with --global, and keeps quotes out", async () => {
        const { context, state } = openSlash();
        await memory.run("add Run npm test first", context);
        await memory.run('add --global "never use /costs here"', context);
        expect(state.remembered.slice(2)).to.deep.equal([
            { scope: "project", text: "Run npm test first" },
            { scope: "global", text: "never use /costs here" },
        ]);
    });

    it("/memory removes by number and reports an unknown number", async () => {
        const { context, state, text } = openSlash();
        await memory.run("remove 2", context);
        await memory.run("remove 7", context);
        expect(state.remembered).to.deep.equal([{ scope: "project", text: "Use tabs" }]);
        expect(text()).to.contain("Removed: Be brief").and.to.contain("There is no entry 7");
    });

    it("/memory shows its usage for an unknown argument", async () => {
        const { context, printed } = openSlash();
        for (const argument of ["add", "remove", "remove x", "toss 1"]) {
            const failure = await expectError(() => memory.run(argument, context), "invalid-usage");
            expect(failure.message).to.equal(`Usage: ${memory.usage}`);
        }
        expect(printed).to.deep.equal([]);
    });
});
