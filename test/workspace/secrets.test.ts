import { expect } from "chai";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { openWorkspace } from "../../src/workspace/open-workspace.js";
import { makeFolder, refusal } from "./make-folder.js";

describe("Secrets in the workspace", () => {
    const tree = { ".env": "TOKEN=hunter2\n", ".env.example": "TOKEN=\n", "a.txt": "TOKEN\n" };

    it("Secret files are listed but neither read nor searched", async () => {
        const root = makeFolder(tree);
        symlinkSync(".env", path.join(root, "harmless.txt"));
        for (const useRipgrep of [true, false]) {
            const workspace = openWorkspace({ root, useRipgrep });
            expect(await workspace.files()).to.include(".env");
            expect((await workspace.list("")).map(({ name }) => name)).to.include(".env");
            expect(await refusal(() => workspace.read(".env"))).to.equal("secret-file");
            expect(await refusal(() => workspace.read("harmless.txt"))).to.equal("secret-file");
            const search = () => workspace.search("TOKEN", { file: ".env", limit: 9 });
            expect(await refusal(search)).to.equal("secret-file");
            const { matches, total } = await workspace.search("TOKEN", { limit: 9 });
            expect(matches.map((match) => match.path)).to.deep.equal([".env.example", "a.txt"]);
            expect(total).to.equal(2);
        }
    });

    it("Secret files are read and searched after one consent of the user", async () => {
        const asked: string[] = [];
        const workspace = openWorkspace({
            root: makeFolder(tree),
            permitSecret: async (name) => asked.push(name) > 0,
        });
        expect((await workspace.search("hunter2", { limit: 9 })).total).to.equal(0);
        expect((await workspace.read(".env")).bytes.toString()).to.equal("TOKEN=hunter2\n");
        await workspace.read(".env");
        expect(asked).to.deep.equal([".env"]);
        expect((await workspace.search("hunter2", { limit: 9 })).total).to.equal(1);
    });

    it("Settings are read unless they hold a credential", async () => {
        const root = makeFolder({
            ".npmrc": "save-exact=true\n",
            "sub/.npmrc": "//registry.example/:_authToken=npmhunter2\n",
        });
        const workspace = openWorkspace({ root });
        expect((await workspace.read(".npmrc")).bytes.toString()).to.equal("save-exact=true\n");
        expect(await refusal(() => workspace.read("sub/.npmrc"))).to.equal("secret-file");
        expect((await workspace.search("hunter2", { limit: 9 })).total).to.equal(0);
    });

    it("Secret files stay closed when the user declines", async () => {
        const permitSecret = async () => false;
        const workspace = openWorkspace({ root: makeFolder(tree), permitSecret });
        expect(await refusal(() => workspace.read(".env"))).to.equal("secret-file");
    });
});
