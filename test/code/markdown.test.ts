import { expect } from "chai";
import fc from "fast-check";
import { readMarkdown } from "../../src/code/markdown.js";
import type { Section } from "../../src/code/section.js";

function lines(sections: readonly Section[], depth = 0): string[] {
    return sections.flatMap(({ name, startLine, endLine, children }) => [
        `${"  ".repeat(depth)}${name} ${startLine}-${endLine}`,
        ...lines(children, depth + 1),
    ]);
}

const outline = async (...text: string[]): Promise<string[]> =>
    lines(await readMarkdown(`${text.join("\n")}\n`));

describe("Markdown headings", () => {
    it("Headings are nested by level and extend to the next of the same or a higher level", async () => {
        expect(
            await outline(
                "intro",
                "# One #",
                "a",
                "## Two",
                "#### Four ##",
                "b",
                "## Three",
                "# End"
            )
        ).to.deep.equal(["One 2-7", "  Two 4-6", "    Four 5-6", "  Three 7-7", "End 8-8"]);
    });

    it("A heading may be underlined and span several lines", async () => {
        expect(
            await outline("Title", "=====", "", "A long", "subtitle", "---", "text")
        ).to.deep.equal(["Title 1-7", "  A long subtitle 4-7"]);
    });

    it("Lines of fenced code are not headings, however long the fence", async () => {
        expect(
            await outline(
                "# A",
                "```sh",
                "# no",
                "```",
                "~~~~",
                "# no",
                "~~~",
                "# no",
                "~~~~",
                "# B"
            )
        ).to.deep.equal(["A 1-9", "B 10-10"]);
    });

    it("Lines of an unclosed fence are not headings", async () => {
        expect(await outline("# A", "```", "# no", "no", "---")).to.deep.equal(["A 1-5"]);
    });

    it("Lines of front matter are not headings", async () => {
        expect(await outline("---", "title: x", "# not", "---", "# Yes")).to.deep.equal([
            "Yes 5-5",
        ]);
        expect(await outline("+++", "# not", "+++", "# Yes")).to.deep.equal(["Yes 4-4"]);
    });

    it("A heading may follow a rule that is not front matter", async () => {
        expect(await outline("---", "# Yes", "text")).to.deep.equal(["Yes 2-3"]);
    });

    it("Text in comments, raw HTML, quotations and indented code is not a heading", async () => {
        expect(
            await outline(
                "<!--",
                "# no",
                "-->",
                "<pre>",
                "",
                "# no",
                "</pre>",
                "> # no",
                "",
                "    # no"
            )
        ).to.deep.equal([]);
    });

    it("A heading needs a space after at most six marks", async () => {
        expect(await outline("#no", "####### no", "#", "###### six")).to.deep.equal([
            " 3-4",
            "  six 4-4",
        ]);
    });

    it("Lists, rules and quotations above a line of dashes are not headings", async () => {
        expect(
            await outline(
                "- item",
                "---",
                "1. item",
                "   text",
                "---",
                "> quote",
                "===",
                "",
                "***",
                "---"
            )
        ).to.deep.equal([]);
    });

    it("Headings are found in files with CRLF", async () => {
        expect(lines(await readMarkdown("# A\r\n\r\nB\r\n===\r\n"))).to.deep.equal([
            "A 1-2",
            "B 3-4",
        ]);
    });

    it("A heading may follow a list whose last line is no paragraph of its own", async () => {
        expect(
            await outline("1.0", "===", "- new", "- old", "", "0.9", "===", "  * a", "", "# B")
        ).to.deep.equal(["1.0 1-5", "0.9 6-9", "B 10-10"]);
    });

    it("A heading belongs to its list item or quotation", async () => {
        expect(
            await outline("# A", "- item", "", "  ## no", "  ```", "  # no", "> # no", "", "# B")
        ).to.deep.equal(["A 1-8", "B 9-9"]);
    });

    it("Headings are found below lists and quotations of any depth", async () => {
        const deep = (mark: string): string => `${mark.repeat(3_000)}a`;
        expect(await outline(deep("> "), "", deep("- "), "", "# A")).to.deep.equal(["A 5-5"]);
    });

    it("Headings keep their lines, whatever is between them", async () => {
        const other = fc.constantFrom(
            ...[
                "text",
                "- a\n- b\n\n    c",
                "> a\nb",
                "```sh\n# no\n```",
                "    # no",
                "|a|\n|-|\n|b|",
            ],
            ...[
                "<!--\n\n# no\n-->",
                "[a]: b",
                "***",
                "1. a\n\n   # no",
                "\t# no",
                " \n  ",
                "<div>\n# no\n",
            ]
        );
        const heading = fc.record({
            level: fc.integer({ min: 1, max: 6 }),
            isUnderlined: fc.boolean(),
        });
        const block = fc.oneof(other, heading);
        await fc.assert(
            fc.asyncProperty(fc.array(block, { maxLength: 12 }), async (blocks) => {
                const text: string[] = [];
                const starts: string[] = [];
                for (const [index, part] of blocks.entries()) {
                    if (typeof part === "string") {
                        text.push(...part.split("\n"), "");
                        continue;
                    }
                    const { level, isUnderlined } = part;
                    starts.push(`h${index} ${text.length + 1}`);
                    if (isUnderlined) text.push(`h${index}`, level > 3 ? "---" : "===", "");
                    else text.push(`${"#".repeat(level)} h${index}`, "");
                }
                const found = await outline(...text);
                expect(found.map((line) => line.trim().replace(/-\d+$/, ""))).to.deep.equal(starts);
            }),
            { numRuns: 300 }
        );
    });
});
