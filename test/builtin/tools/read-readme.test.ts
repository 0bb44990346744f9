import { expect } from "chai";
import { readReadme } from "../../../src/builtin/tools/read-readme.js";
import { dataOf, errorOf, makeToolContext } from "../../helpers/tool-context.js";

describe("read_readme", () => {
    it("Markdown without a language suffix is preferred, in any case", async () => {
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

    it("Any readme is read when there is no preferred one", async () => {
        const context = await makeToolContext({ files: { "README.adoc": "= Hello" } });

        expect(dataOf(await readReadme.execute({}, context)).path).to.equal("README.adoc");
    });

    it("A readme is cut after 8 KB, never within a character", async () => {
        const context = await makeToolContext({ files: { "README.md": `a${"é".repeat(8000)}` } });

        const data = dataOf(await readReadme.execute({}, context));

        expect(data.truncated).to.equal(true);
        expect(data.content).to.equal(`a${"é".repeat(4095)}`);
    });

    it("Without a readme the error says what to do next", async () => {
        const context = await makeToolContext({ files: { "docs/README.md": "" } });

        const error = errorOf(await readReadme.execute({}, context));

        expect(error.code).to.equal("not-found");
        expect(error.hint).to.contain("find_files");
    });
});
