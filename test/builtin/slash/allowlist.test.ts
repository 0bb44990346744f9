import { expect } from "chai";
import { allowlist } from "../../../src/builtin/slash/allowlist.js";
import { openSlash } from "../../helpers/slash-session.js";

describe("/allowlist", () => {
    it("/allowlist shows commands with their folders", async () => {
        const { context, text } = openSlash();
        await allowlist.run("", context);
        expect(text()).to.contain("  npm test\n  npm test  (in packages/app)\n  ls");
    });

    it("/allowlist removes a command in every folder", async () => {
        const { context, state } = openSlash();
        await allowlist.run('remove "npm test"', context);
        expect(state.allowed).to.deep.equal([{ command: "ls", cwd: "" }]);
    });

    it("/allowlist lists hosts and other permissions, and removes one", async () => {
        const { context, state, text } = openSlash();
        await allowlist.run("", context);
        expect(text()).to.contain("Also allowed:\n  host:registry.example");
        await allowlist.run("remove host:registry.example", context);
        expect(state.allowedKeys).to.deep.equal([]);
        expect(state.allowed).to.have.length(3);
    });

    it("/allowlist refuses to remove commands by prefix", async () => {
        const { context, state, text } = openSlash();
        await allowlist.run("remove npm", context);
        expect(state.allowed).to.have.length(3);
        expect(text()).to.equal("Not on the allowlist: npm");
    });
});
