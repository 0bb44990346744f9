import { expect } from "chai";
import { getLineCount } from "../../../src/builtin/tools/get-line-count.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";

describe("get_line_count", () => {
    it("Lines and bytes are counted", async () => {
        const context = await makeToolContext({ files: { "a.txt": "é\ntwo\nthree" } });

        const data = dataOf(await getLineCount.execute({ path: "a.txt" }, context));

        expect(data).to.deep.equal({
            path: "a.txt",
            lineCount: 3,
            sizeBytes: 12,
            willTruncate: false,
        });
    });

    it("The result says when reading the whole file would be cut, by lines or by bytes", async () => {
        const context = await makeToolContext({
            files: {
                "lines.txt": "x\n".repeat(501),
                "bytes.txt": "x".repeat(100 * 1024 + 1),
                "fits.txt": "x\n".repeat(500),
            },
        });
        const willTruncate = async (path: string) =>
            dataOf(await getLineCount.execute({ path }, context)).willTruncate;

        expect(await willTruncate("lines.txt")).to.equal(true);
        expect(await willTruncate("bytes.txt")).to.equal(true);
        expect(await willTruncate("fits.txt")).to.equal(false);
    });

    it("Counting lines does not count as reading the file", async () => {
        const context = await makeToolContext({ files: { "a.txt": "a" } });

        await getLineCount.execute({ path: "a.txt" }, context);

        expect(context.observations).to.deep.equal([]);
    });
});
