import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { openWorkspace } from "../../src/workspace/open-workspace.js";
import { makeFolder, refusal } from "./make-folder.js";

describe("Paths as models write them", () => {
    const repository = () => {
        const root = makeFolder({ "src/a.ts": "a" });
        return { root, name: path.basename(root), workspace: openWorkspace({ root }) };
    };

    it("A path from the root or with the repository's name is the one inside", async () => {
        const { name, workspace } = repository();
        for (const given of ["./src/a.ts", "/src/a.ts", `${name}/src/a.ts`, `/${name}/src/a.ts`]) {
            expect((await workspace.read(given)).path, given).to.equal("src/a.ts");
            expect(workspace.relative(given), given).to.equal("src/a.ts");
            expect((await workspace.status(given))?.path, given).to.equal("src/a.ts");
        }
        const { matches } = await workspace.search("a", { file: "/src/a.ts", limit: 1 });
        expect(matches[0]?.path).to.equal("src/a.ts");
    });

    it("A path that exists as it is written is that path", async () => {
        const { root, name, workspace } = repository();
        mkdirSync(path.join(root, name, "src"), { recursive: true });
        writeFileSync(path.join(root, name, "src/a.ts"), "b");
        expect((await workspace.read(`${name}/src/a.ts`)).path).to.equal(`${name}/src/a.ts`);
        mkdirSync(path.join(root, "etc"));
        writeFileSync(path.join(root, "etc/passwd"), "x");
        expect(await refusal(() => workspace.read("/etc/passwd"))).to.equal("outside-repository");
    });

    it("A missing path, or one that leads outside, is refused", async () => {
        const { root, workspace } = repository();
        symlinkSync("/", path.join(root, "top"));
        for (const given of ["/src/b.ts", "/src/../../a", "/top/etc/passwd", "/"]) {
            expect(await refusal(() => workspace.read(given)), given).to.equal(
                "outside-repository"
            );
        }
    });
});
