import { expect } from "chai";
import { readMarkdown } from "../../../src/builtin/code/markdown.js";
import type { Section } from "../../../src/builtin/code/section.js";

function lines(sections: readonly Section[], depth = 0): string[] {
    return sections.flatMap(({ name, startLine, endLine, children }) => [
        `${"  ".repeat(depth)}${name} ${startLine}-${endLine}`,
        ...lines(children, depth + 1),
    ]);
}

const outline = (...text: string[]): string[] => lines(readMarkdown(`${text.join("\n")}\n`));

describe("headings of a Markdown file", () => {
    it("are nested by their level and reach to the next one of theirs", () => {
        expect(
            outline("intro", "# One #", "a", "## Two", "#### Four ##", "b", "## Three", "# End")
        ).to.deep.equal(["One 2-7", "  Two 4-6", "    Four 5-6", "  Three 7-7", "End 8-8"]);
    });

    it("may be underlined, over several lines", () => {
        expect(outline("Title", "=====", "", "A long", "subtitle", "---", "text")).to.deep.equal([
            "Title 1-7",
            "  A long subtitle 4-7",
        ]);
    });

    it("are not the lines of fenced code, however long the fence", () => {
        expect(
            outline("# A", "```sh", "# no", "```", "~~~~", "# no", "~~~", "# no", "~~~~", "# B")
        ).to.deep.equal(["A 1-9", "B 10-10"]);
    });

    it("are not the lines of a fence that is never closed", () => {
        expect(outline("# A", "```", "# no", "no", "---")).to.deep.equal(["A 1-5"]);
    });

    it("are not the lines of front matter", () => {
        expect(outline("---", "title: x", "# not", "---", "# Yes")).to.deep.equal(["Yes 5-5"]);
        expect(outline("+++", "# not", "+++", "# Yes")).to.deep.equal(["Yes 4-4"]);
    });

    it("may follow a rule that is not front matter", () => {
        expect(outline("---", "# Yes", "text")).to.deep.equal(["Yes 2-3"]);
    });

    it("are not text in comments, raw HTML, quotations or indented code", () => {
        expect(
            outline("<!--", "# no", "-->", "<pre>", "", "# no", "</pre>", "> # no", "", "    # no")
        ).to.deep.equal([]);
    });

    it("need a space after the marks and at most six of them", () => {
        expect(outline("#no", "####### no", "#", "###### six")).to.deep.equal([
            " 3-4",
            "  six 4-4",
        ]);
    });

    it("are not lists, rules or quotations above a line", () => {
        expect(
            outline(
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

    it("are found in files with CRLF", () => {
        expect(lines(readMarkdown("# A\r\n\r\nB\r\n===\r\n"))).to.deep.equal(["A 1-2", "B 3-4"]);
    });
});
