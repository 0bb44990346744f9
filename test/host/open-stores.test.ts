import {
    existsSync,
    mkdirSync,
    mkdtempSync,
    realpathSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { openStores } from "../../src/host/open-stores.js";

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

    it("Opening removes what killed processes left in .north, but never through a link", async () => {
        const left = ".cache.json.north-4194399-0123456789ab.tmp";
        const folders = ["project/.north", "elsewhere"].map((name) => path.join(base, name));
        for (const folder of folders) {
            mkdirSync(folder);
            writeFileSync(path.join(folder, left), "");
        }
        const [own = "", other = ""] = folders;
        await openStores(path.join(base, "data"), path.join(base, "project"));
        expect(existsSync(path.join(own, left))).to.equal(false);
        rmSync(own, { recursive: true });
        symlinkSync(other, own);
        await openStores(path.join(base, "data"), path.join(base, "project"));
        expect(existsSync(path.join(other, left))).to.equal(true);
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
