import { expect } from "chai";
import { turns } from "../../../src/builtin/slash/turns.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/turns", () => {
    it("/turns lists the turns that changed files", async () => {
        const { context, text } = openSlash();
        await turns.run("", context);
        expect(text()).to.equal("  4  a.ts  Rename it");
    });
});
