import { expect } from "chai";
import { readAround } from "../../../src/builtin/tools/read-around.js";
import { dataOf, errorOf, makeToolContext } from "../../helpers/tool-context.js";

const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
const files = { "a.txt": `${lines.join("\n")}\n` };

describe("read_around", () => {
    it("Numbered lines around the match are shown, and the match is marked", async () => {
        const context = await makeToolContext({ files });

        const data = dataOf(
            await readAround.execute(
                { path: "a.txt", anchor: "line 10", before: 1, after: 1, occurrence: 1 },
                context
            )
        );

        expect(data).to.deep.equal({
            path: "a.txt",
            totalLines: 100,
            matchCount: 2,
            occurrenceUsed: 1,
            matchLine: 10,
            startLine: 9,
            endLine: 11,
            content: "  9: line 9\n>10: line 10\n 11: line 11",
        });
    });

    it("By default 12 lines before and 20 after are shown, as far as they exist", async () => {
        const context = await makeToolContext({ files });
        const around = async (anchor: string) =>
            dataOf(await readAround.execute({ path: "a.txt", anchor }, context));

        expect(await around("line 50")).to.include({ startLine: 38, endLine: 70 });
        expect(await around("line 95")).to.include({ startLine: 83, endLine: 100 });
    });

    it("Several matches are listed with previews, and the model is asked to choose", async () => {
        const context = await makeToolContext({ files: { "a.txt": "  foo a\nbar\nfoo b\n" } });

        const error = errorOf(await readAround.execute({ path: "a.txt", anchor: "foo" }, context));

        expect(error.code).to.equal("ambiguous-anchor");
        expect(error.candidates).to.deep.equal([
            { occurrence: 1, line: 1, preview: "foo a" },
            { occurrence: 2, line: 3, preview: "foo b" },
        ]);
        expect(context.observations).to.deep.equal([]);
    });

    it("An occurrence that does not exist is refused with the count", async () => {
        const context = await makeToolContext({ files });

        const error = errorOf(
            await readAround.execute({ path: "a.txt", anchor: "line 10", occurrence: 3 }, context)
        );

        expect(error.message).to.contain("2 lines");
        expect(error.candidates).to.have.length(2);
    });

    it("A miss says what to do next", async () => {
        const context = await makeToolContext({ files });
        const hint = async (anchor: string) =>
            errorOf(await readAround.execute({ path: "a.txt", anchor }, context)).hint;

        expect(await hint("absent")).to.contain("search_text");
        expect(await hint("line 1\nline 2")).to.contain("one line");
    });

    it("The match is shown in a line of any length", async () => {
        const long = `${"a".repeat(50_000)}NEEDLE${"b".repeat(50_000)}`;
        const context = await makeToolContext({ files: { "min.js": long } });

        const data = dataOf(
            await readAround.execute({ path: "min.js", anchor: "NEEDLE" }, context)
        );

        expect(data.content).to.match(
            /^>1: \[line cut: \d+ characters\] … a+NEEDLEb+ … \[line cut: \d+ more characters\]$/
        );
        expect(data.content.length).to.be.below(2200);
    });

    it("Many long lines fit into 100 KB with none left out", async () => {
        const long = Array.from({ length: 401 }, (_, index) =>
            index === 200 ? "NEEDLE" : "é".repeat(3000)
        );
        const context = await makeToolContext({ files: { "long.txt": long.join("\n") } });

        const data = dataOf(
            await readAround.execute(
                { path: "long.txt", anchor: "NEEDLE", before: 200, after: 200 },
                context
            )
        );

        expect(data.content.split("\n")).to.have.length(401);
        expect(data.content).to.contain(">201: NEEDLE");
        expect(Buffer.byteLength(data.content)).to.be.below(125 * 1024);
    });

    it("The host learns which version the model has seen", async () => {
        const context = await makeToolContext({ files });

        await readAround.execute({ path: "a.txt", anchor: "line 50" }, context);

        expect(context.observations).to.deep.equal([
            { path: "a.txt", hash: (await context.workspace.read("a.txt")).hash },
        ]);
    });
});
