import { expect } from "chai";
import { listFolder } from "../../../src/builtin/tools/list-folder.js";
import { isExpectedError } from "../../../src/base/north-error.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";

const files = {
    "src/a.ts": "12345",
    "src/a.test.ts": "1",
    "src/deep/b.ts": "",
    "other.ts": "",
};

async function names(input: { path: string; ignore?: string[] }): Promise<string[]> {
    const context = await makeToolContext({ files });
    return dataOf(await listFolder.execute(input, context)).entries.map(({ name }) => name);
}

describe("list_folder", () => {
    it("A folder is listed with the sizes of its files", async () => {
        const context = await makeToolContext({ files });

        const data = dataOf(await listFolder.execute({ path: "src" }, context));

        expect(data).to.deep.equal({
            path: "src",
            entries: [
                { name: "deep", type: "dir", size: 0 },
                { name: "a.test.ts", type: "file", size: 1 },
                { name: "a.ts", type: "file", size: 5 },
            ],
            truncated: false,
            total: 3,
        });
    });

    it("A glob excludes by name or by path", async () => {
        expect(await names({ path: "src", ignore: ["*.test.ts"] })).to.deep.equal(["deep", "a.ts"]);
        expect(await names({ path: "src", ignore: ["src/a.*", "other.ts"] })).to.deep.equal([
            "deep",
        ]);
        expect(await names({ path: ".", ignore: ["other.*"] })).to.deep.equal(["src"]);
    });

    it("An absolute path inside the root gives relative results", async () => {
        const context = await makeToolContext({ files });

        const data = dataOf(await listFolder.execute({ path: `${context.root}/src` }, context));

        expect(data.path).to.equal("src");
    });

    it("The list is cut after 500 entries, with the total", async () => {
        const many = Object.fromEntries(
            Array.from({ length: 503 }, (_, index) => [`many/${index}.txt`, ""])
        );
        const context = await makeToolContext({ files: many });

        const data = dataOf(await listFolder.execute({ path: "many" }, context));

        expect(data.entries).to.have.length(500);
        expect(data).to.include({ truncated: true, total: 503 });
    });

    for (const path of ["..", "/etc", "src/../../x"]) {
        it(`The path ${path} is refused`, async () => {
            const context = await makeToolContext({ files });

            const error: unknown = await listFolder
                .execute({ path }, context)
                .catch((reason: unknown) => reason);

            expect(isExpectedError(error) && error.code).to.equal("outside-repository");
        });
    }
});
