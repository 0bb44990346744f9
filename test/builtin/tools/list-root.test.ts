import { expect } from "chai";
import { listRoot } from "../../../src/builtin/tools/list-root.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";

describe("list_root", () => {
    it("Folders come first, then files, without ignored ones", async () => {
        const context = await makeToolContext({
            files: {
                ".gitignore": "secret-plans\n",
                "secret-plans/a.txt": "",
                "node_modules/a/index.js": "",
                "b.ts": "",
                "src/a.ts": "",
            },
        });

        const data = dataOf(await listRoot.execute({}, context));

        expect(data.entries).to.deep.equal([
            { name: "src", type: "dir" },
            { name: ".gitignore", type: "file" },
            { name: "b.ts", type: "file" },
        ]);
        expect(data).to.include({ truncated: false, total: 3 });
    });

    it("A cut list says how many entries there are", async () => {
        const names = Array.from({ length: 501 }, (_, index) => `file-${index}.txt`);
        const context = await makeToolContext({
            files: Object.fromEntries(names.map((name) => [name, ""])),
        });

        const data = dataOf(await listRoot.execute({}, context));

        expect(data.entries).to.have.length(500);
        expect(data).to.include({ truncated: true, total: 501 });
        expect(listRoot.summary?.(data, {})).to.equal("500 entries+");
    });

    it("The intent line says that the project is listed", () => {
        expect(listRoot.intent({})).to.equal("Listing project files");
    });
});
