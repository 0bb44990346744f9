import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { openStores } from "../../../src/host/stores/open-stores.js";

describe("openStores", () => {
    let base: string;

    beforeEach(() => {
        base = realpathSync(mkdtempSync(path.join(tmpdir(), "north-stores-")));
        mkdirSync(path.join(base, "project", ".git"), { recursive: true });
        mkdirSync(path.join(base, "project", "src"));
    });

    afterEach(() => rmSync(base, { recursive: true }));

    it("Opening a repository's stores from any of its folders writes nothing", async () => {
        const dataFolder = path.join(base, "data");
        const stores = await openStores(dataFolder, path.join(base, "project", "src"));
        expect(stores).to.deep.include({ root: path.join(base, "project"), isRepository: true });
        expect(existsSync(dataFolder)).to.equal(false);
    });

    it("What one folder's stores keep, another folder of the repository finds", async () => {
        const dataFolder = path.join(base, "data");
        const root = path.join(base, "project");
        const { grants } = await openStores(dataFolder, root);
        await grants.allowCommand({ command: "npm test", cwd: "" });
        const others = await openStores(dataFolder, path.join(root, "src"));
        expect((await others.grants.snapshot()).allowedCommands).to.have.length(1);
        const elsewhere = await openStores(dataFolder, base);
        expect((await elsewhere.grants.snapshot()).allowedCommands).to.deep.equal([]);
    });
});
