import { expect } from "chai";
import { getFileOutline } from "../../../src/builtin/tools/get-file-outline.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";

describe("get_file_outline", () => {
    it("Sections are nested, without empty lists of children", async () => {
        const context = await makeToolContext({
            files: { "a.ts": 'import "b";\nclass A {\n    b() {}\n}\n' },
        });
        const data = dataOf(await getFileOutline.execute({ path: "a.ts" }, context));
        expect(data).to.deep.equal({
            language: "typescript",
            sections: [
                { type: "imports", name: "imports", startLine: 1, endLine: 1 },
                {
                    type: "class",
                    name: "A",
                    startLine: 2,
                    endLine: 4,
                    children: [{ type: "method", name: "b", startLine: 3, endLine: 3 }],
                },
            ],
        });
        expect(getFileOutline.intent({ path: "a.ts" })).to.equal("Outlining a.ts");
        expect(getFileOutline.summary?.(data, { path: "a.ts" })).to.equal("2 sections");
    });

    it("Markdown is outlined by headings, and other text by chunks of 50 lines", async () => {
        const context = await makeToolContext({
            files: { "a.md": "# A\n## B\n", "a.log": "x\n".repeat(60) },
        });
        const markdown = dataOf(await getFileOutline.execute({ path: "a.md" }, context));
        expect(markdown.sections).to.deep.equal([
            {
                type: "heading",
                name: "A",
                startLine: 1,
                endLine: 2,
                children: [{ type: "heading", name: "B", startLine: 2, endLine: 2 }],
            },
        ]);
        const log = dataOf(await getFileOutline.execute({ path: "a.log" }, context));
        expect(log.language).to.equal("text");
        expect(log.sections.map(({ startLine, endLine }) => [startLine, endLine])).to.deep.equal([
            [1, 50],
            [51, 60],
        ]);
    });

    it("The deepest of too many sections are left out first, with a notice", async () => {
        const unit = (index: number): string =>
            `class C${index}:\n    def a(self): pass\n    def b(self): pass\n`;
        const text = Array.from({ length: 400 }, (_, index) => unit(index)).join("");
        const context = await makeToolContext({ files: { "a.py": text } });
        const data = dataOf(await getFileOutline.execute({ path: "a.py" }, context));
        expect(data.sections).to.have.lengthOf(400);
        expect(data.sections.some((section) => section.children !== undefined)).to.equal(false);
        expect(data).to.include({ truncated: true, total: 1_200 });
        expect(getFileOutline.digest?.(data, { path: "a.py" })?.data).to.deep.include({
            sections: data.sections.slice(0, 200),
            total: 1_200,
        });
    });

    it("A class with too many members is outlined with its first members and the number of the others", async () => {
        const members = (name: string) =>
            Array.from({ length: 900 }, (_, index) => `    void ${name}${index}() {}\n`).join("");
        const text = `namespace N {\nclass A {\n${members("a")}}\nclass B {\n${members("b")}}\n}\n`;
        const context = await makeToolContext({ files: { "a.cs": text } });
        const data = dataOf(await getFileOutline.execute({ path: "a.cs" }, context));
        const classes = data.sections[0]?.children ?? [];
        expect(
            classes.map(({ name, children, omitted }) => [name, children?.length, omitted])
        ).to.deep.equal([
            ["A", 498, 402],
            ["B", 498, 402],
        ]);
        expect(data).to.include({ truncated: true, total: 1_803 });
        const digest = JSON.stringify(getFileOutline.digest?.(data, { path: "a.cs" })?.data);
        expect(digest)
            .to.contain('"name":"b97"')
            .and.to.contain('"omitted":802')
            .and.not.to.contain("b98");
    });

    it("An empty file has an empty outline", async () => {
        const context = await makeToolContext({ files: { "a.ts": "" } });
        const data = dataOf(await getFileOutline.execute({ path: "a.ts" }, context));
        expect(data).to.deep.equal({ language: "typescript", sections: [] });
    });
});
