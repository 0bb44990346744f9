import { expect } from "chai";
import { findFiles } from "../../../src/builtin/tools/find-files.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";

const numbered = (count: number) =>
    Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`f/${String(index).padStart(3, "0")}.ts`, ""])
    );

describe("find_files", () => {
    it("Files are found by name in any folder, ignoring case", async () => {
        const context = await makeToolContext({
            files: {
                "src/Deep/App.TS": "",
                "main.ts": "",
                "main.js": "",
                "node_modules/a/main.ts": "",
            },
        });

        const data = dataOf(await findFiles.execute({ pattern: "*.ts" }, context));

        expect(data.files).to.deep.equal(["main.ts", "src/Deep/App.TS"]);
        expect(data.truncated).to.equal(false);
    });

    it("By default 50 files are returned, with the total", async () => {
        const context = await makeToolContext({ files: numbered(60) });

        const data = dataOf(await findFiles.execute({ pattern: "*.ts" }, context));
        const all = dataOf(await findFiles.execute({ pattern: "*.ts", limit: 500 }, context));

        expect(data.files).to.have.length(50);
        expect(data).to.include({ truncated: true, total: 60 });
        expect(findFiles.summary?.(data, { pattern: "*.ts" })).to.equal("50 files+");
        expect(all.files).to.have.length(60);
        expect(findFiles.summary?.(all, { pattern: "*.ts" })).to.equal("60 files");
    });

    it("The digest holds the first 20 files and the count", async () => {
        const context = await makeToolContext({ files: numbered(101) });
        const data = dataOf(await findFiles.execute({ pattern: "*.ts" }, context));

        const digest = findFiles.digest?.(data, { pattern: "*.ts" });

        expect(digest).to.deep.equal({
            data: { files: data.files.slice(0, 20), truncated: true, total: 101 },
            note: "The first 20 of 101 files.",
        });
    });

    it("Short results and those with an explicit limit are not digested", async () => {
        const context = await makeToolContext({ files: numbered(101) });
        const input = { pattern: "*.ts", limit: 101 };
        const data = dataOf(await findFiles.execute(input, context));

        expect(findFiles.digest?.(data, input)).to.equal(undefined);
        const hundred = { files: data.files.slice(0, 50), truncated: true, total: 100 };
        expect(findFiles.digest?.(hundred, { pattern: "a" })).to.equal(undefined);
    });

    it("The intent line shows the pattern", () => {
        expect(findFiles.intent({ pattern: "*.ts" })).to.equal("Finding *.ts");
    });
});
