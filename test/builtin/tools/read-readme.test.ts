import { expect } from "chai";
import { readReadme } from "../../../src/builtin/tools/read-readme.js";
import { dataOf, errorOf, makeToolContext } from "../../helpers/tool-context.js";

describe("read_readme", () => {
    it("prefers Markdown in the project's own language, whatever the case", async () => {
        const context = await makeToolContext({
            files: {
                "README.zh-CN.md": "other",
                "README.txt": "text",
                "ReadMe.md": "# Hello\r\nthere\r\n",
                "readme/inside.md": "",
                "README-old.md": "old",
            },
        });

        expect(dataOf(await readReadme.execute({}, context))).to.deep.equal({
            path: "ReadMe.md",
            content: "# Hello\nthere",
            truncated: false,
        });
        expect(context.observations.map(({ path }) => path)).to.deep.equal(["ReadMe.md"]);
    });

    it("takes what there is", async () => {
        const context = await makeToolContext({ files: { "README.adoc": "= Hello" } });

        expect(dataOf(await readReadme.execute({}, context)).path).to.equal("README.adoc");
    });

    it("cuts after 8 KB, never within a character", async () => {
        const context = await makeToolContext({ files: { "README.md": `a${"é".repeat(8000)}` } });

        const data = dataOf(await readReadme.execute({}, context));

        expect(data.truncated).to.equal(true);
        expect(data.content).to.equal(`a${"é".repeat(4095)}`);
    });

    it("says what to do where there is none", async () => {
        const context = await makeToolContext({ files: { "docs/README.md": "" } });

        const error = errorOf(await readReadme.execute({}, context));

        expect(error.code).to.equal("not-found");
        expect(error.hint).to.contain("find_files");
    });
});
