import { expect } from "chai";
import { listRoot } from "../../../src/builtin/tools/list-root.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";

describe("list_root", () => {
    it("lists folders first, then files, without what is ignored", async () => {
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

    it("says how many there are when they are more than it lists", async () => {
        const names = Array.from({ length: 501 }, (_, index) => `file-${index}.txt`);
        const context = await makeToolContext({
            files: Object.fromEntries(names.map((name) => [name, ""])),
        });

        const data = dataOf(await listRoot.execute({}, context));

        expect(data.entries).to.have.length(500);
        expect(data).to.include({ truncated: true, total: 501 });
        expect(listRoot.summary?.(data, {})).to.equal("500 entries+");
    });

    it("is shown as listing the project", () => {
        expect(listRoot.intent({})).to.equal("Listing project files");
    });
});
