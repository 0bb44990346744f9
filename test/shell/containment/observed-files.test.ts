import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ObservedFiles } from "../../../src/shell/containment/observed-files.js";
import { makeFolder } from "../../workspace/make-folder.js";

describe("ObservedFiles", () => {
    it("A command may put a file in place of a folder", async () => {
        const root = makeFolder({ "src/a.txt": "a\n" });
        const observed = new ObservedFiles(root, [makeFolder()]);
        try {
            const changed = await observed.observe();
            rmSync(path.join(root, "src"), { recursive: true });
            writeFileSync(path.join(root, "src"), "b\n");
            const { files } = await changed();
            const paths = files.map(({ path: file, afterHash }) => [file, afterHash === null]);
            expect(paths).to.deep.equal([
                ["src", false],
                ["src/a.txt", true],
            ]);
        } finally {
            await observed.dispose();
        }
    });
});
