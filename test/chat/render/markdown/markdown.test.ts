import { expect } from "chai";
import fc from "fast-check";

import type { Tail } from "../../../../src/chat/live-view.js";
import { AnswerText } from "../../../../src/chat/render/answer-text.js";
import { loadCodeColours, type CodeColours } from "../../../../src/chat/render/code-colours.js";
import { loadInline } from "../../../../src/chat/render/markdown/inline.js";
import { stripControls } from "../../../../src/base/safe-text.js";
import { createTheme } from "../../../../src/chat/terminal/theme.js";

let colours: CodeColours;

/** What is printed of an answer that comes in these pieces. */
function printed(pieces: readonly string[], level: 0 | 1 = 1, columns = 1000): string {
    const lines: string[] = [];
    const view = {
        columns,
        printVerbatim: (rows: readonly string[]) => void lines.push(...rows),
        setTail: () => {},
    };
    const answer = new AnswerText({ view, theme: createTheme(level), colours: () => colours });
    for (const piece of pieces) answer.add(piece);
    answer.finish();
    return lines.join("\n");
}

const styled = (text: string): string => printed([text]).slice("\n\u001b[35m●\u001b[39m ".length);
const plain = (text: string): string => stripControls(styled(text));

/** Everything but the marks that styles take the place of, and white space. */
const withoutMarks = (text: string): string => text.replace(/[\s*_~`[\]()<>\\#|:+●•│─┼-]/g, "");

const piece = fc.constantFrom(
    ..."* ** _ __ ~~ ` `` \\ [ ] ( ) | < > # ## - + 1. \n \n\n ``` ```ts\n".split(" "),
    ...["\n| a | b |\n|---|--:|\n| c | **d** |\n", "\n> ", "\n- ", "\n```\n", " ", "| |", "\t"],
    ...["word", "const x = `${y}`;", "https://e.org/a_b", "[name](https://e.org)", "漢字", "👩‍👩‍👧"]
);
const markdown = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

describe("MarkdownRenderer", () => {
    before(async () => {
        await loadInline();
        colours = await loadCodeColours(createTheme(1));
    });

    it("Any split of the text into chunks renders the same", () => {
        fc.assert(
            fc.property(
                markdown,
                fc.array(fc.nat(8)),
                fc.constantFrom(0, 1),
                (text, cuts, level) => {
                    const pieces: string[] = [];
                    let at = 0;
                    for (const length of cuts) pieces.push(text.slice(at, (at += length)));
                    pieces.push(text.slice(at));
                    expect(printed(pieces, level)).to.equal(printed([text], level));
                    expect(printed([...text], level)).to.equal(printed([text], level));
                }
            )
        );
    });

    it("Only marks that a style replaces are dropped", () => {
        fc.assert(
            fc.property(markdown, (text) => {
                expect(withoutMarks(stripControls(printed([text])))).to.equal(withoutMarks(text));
            })
        );
    });

    it("Without styles the text stays as written, except for aligned table columns", () => {
        fc.assert(
            fc.property(markdown, (text) => {
                const shown = printed([text], 0);
                expect(shown).not.to.contain("\u001b");
                const bare = (value: string) => value.replace(/[\s●|:\\-]/g, "");
                expect(bare(shown)).to.equal(bare(text));
            })
        );
        const text = "# Title\n\n- **bold** and `code`\n> quoted\n```ts\nconst a = 1;\n```";
        expect(printed([text], 0)).to.equal(`\n● ${text}`);
    });

    it("Headings, emphasis, code, links, lists and quotes are styled", () => {
        expect(styled("## A *title*")).to.equal(
            "\u001b[1m\u001b[4mA \u001b[3mtitle\u001b[23m\u001b[24m\u001b[22m"
        );
        expect(styled("a **b _c_** ~~d~~")).to.equal(
            "a \u001b[1mb \u001b[3mc\u001b[23m\u001b[22m \u001b[9md\u001b[29m"
        );
        expect(styled("run `npm **test**`")).to.equal("run \u001b[36mnpm **test**\u001b[39m");
        expect(plain("see [the docs](https://e.org/a_(b)), https://e.org/x.")).to.equal(
            "see the docs (https://e.org/a_(b)), https://e.org/x."
        );
        expect(plain("![a picture](p.png)!")).to.equal("a picture (p.png)!");
        expect(plain("> a\n> > b\n* one\n  + [x] two\n3) three\n---")).to.equal(
            `│ a\n│ │ b\n• one\n  ☑ two\n3) three\n${"─".repeat(24)}`
        );
    });

    it("Entities are decoded, except those that would control the terminal", () => {
        expect(plain("AT&amp;T &lt;b&gt; &#8364; &#x20AC; &copy; R&D &nosuch; &amp")).to.equal(
            "AT&T <b> € € © R&D &nosuch; &amp"
        );
        expect(plain("`&amp;`\n```\n&lt;\n```")).to.equal("&amp;\n```\n&lt;\n```");
        expect(plain("&ast;no&ast; &#27;[2J&#10;&#x202e;x")).to.equal("*no* [2J x");
        expect(plain("[a&#27;x](b&#27;c&#10;d)")).to.equal("ax (b&#27;c&#10;d)");
    });

    it("A title is underlined when its line of equals signs arrives after it", () => {
        expect(plain("Title\n=====\na == b")).to.match(/^Title\n─+\na == b$/);
    });

    it("Text that only resembles Markdown stays as it is", () => {
        for (const text of [
            "2 * 3 * 4",
            "snake_case_name and __init__.py",
            "a ** b",
            "**open",
            "array[0](x y)",
            "C:\\temp",
            "#hashtag",
            "-flag",
            "`open",
            "a | b",
        ]) {
            const expected =
                text === "snake_case_name and __init__.py" ? text.replaceAll("__", "") : text;
            expect(plain(text)).to.equal(expected);
        }
        expect(plain("\\*kept\\*")).to.equal("*kept*");
    });

    it("Tables are aligned, also with wide characters and styles", () => {
        const table = "Text:\n| Name | Size |\n|:--|--:|\n| `漢字` | 5 |\n| b \\| c | 1,000 |\nend";
        expect(plain(table)).to.equal(
            "Text:\n Name  │  Size\n───────┼───────\n 漢字  │     5\n b | c │ 1,000\nend"
        );
        expect(printed([table], 0)).to.contain("| `漢字` |     5 |\n");
        expect(plain("| not a table")).to.equal("| not a table");
    });

    it("A table that is too wide gets narrower cells, then becomes a list", () => {
        const table = `| Name | Text |\n|--|--|\n| one | ${"some words ".repeat(6)}|\n| 2 | b |`;
        expect(printed([table], 1, 40).split("\n").slice(2).map(stripControls)).to.deep.equal([
            " Name │ Text",
            "──────┼───────────────────────────────",
            " one  │ some words some words some",
            "      │ words some words some words",
            "      │ some words",
            " 2    │ b",
        ]);
        const wide = `|${"column|".repeat(4)}\n|${"--|".repeat(4)}\n|${"a long cell|".repeat(4)}`;
        expect(printed([wide], 0, 40).split("\n").slice(3, 5)).to.deep.equal([
            "column: a long cell",
            "column: a long cell",
        ]);
    });

    it("Prose breaks between words, code never breaks, and blank lines stay", () => {
        const code = `const text = "${"long ".repeat(12)}";`;
        const text = `A sentence that is too long for this.\n\n- and an item which also is\n\n    ~~~\n${code}\n~~~\n\nEnd`;
        expect(printed([text], 0, 24).split("\n")).to.deep.equal([
            "",
            "● A sentence that is too",
            "long for this.",
            "",
            "- and an item which also",
            "  is",
            "",
            "    ~~~",
            code,
            "~~~",
            "",
            "End",
        ]);
    });

    it("Code is coloured by its language, across lines and without Markdown inside it", () => {
        const code = styled("```ts\n/* a\nb */ const **x** = `${1}`;\n```\n**after**");
        expect(code.split("\n")).to.deep.equal([
            "\u001b[2m```ts\u001b[22m",
            "\u001b[2m/* a\u001b[22m",
            "\u001b[2mb */\u001b[22m \u001b[35mconst\u001b[39m **x** = \u001b[32m`\u001b[39m${\u001b[34m1\u001b[39m}\u001b[32m`\u001b[39m;",
            "\u001b[2m```\u001b[22m",
            "\u001b[1mafter\u001b[22m",
        ]);
        const open = styled("```py\ns = '''one\ntwo\nthree'''\nfour = 4\n```").split("\n");
        expect(open[2]).to.equal("\u001b[32mtwo\u001b[39m");
        expect(open[4]).to.equal("four = \u001b[34m4\u001b[39m");
        expect(styled("```nolang\nif (a < b && c)\n```").split("\n")[1]).to.equal(
            "if (a < b && c)"
        );
    });

    it("Growing text is shown as it will look once its marks are closed", () => {
        let tail: Tail | undefined;
        const view = {
            columns: 80,
            printVerbatim: () => {},
            setTail: (next?: Tail) => void (tail = next),
        };
        const answer = new AnswerText({ view, theme: createTheme(1), colours: () => undefined });
        answer.add("so **very");
        expect(tail?.()[1]).to.equal("\u001b[35m●\u001b[39m so \u001b[1mvery\u001b[22m");
        answer.add("** `cod");
        expect(tail?.()[1]).to.match(/ so \u001b\[1mvery\u001b\[22m \u001b\[36mcod\u001b\[39m$/);
        answer.add("e`\n| a | b |\n|--|--|\n| c");
        expect(tail?.().map(stripControls)).to.deep.equal([" a   │ b", "─────┼─────", "| c"]);
    });

    it("A fence or a title of many thousand marks is read in linear time", () => {
        const marks = 200_000;
        const line = `~~~${"~".repeat(marks)}\``;
        expect(printed([`${line}\nend`])).to.contain("end");
        expect(plain(`# a${" ".repeat(marks)}b`)).to.contain("b");
        expect(plain(`# a ${"# ".repeat(marks)}b`)).to.contain("b");
        expect(plain("## Title ##")).to.equal("Title");
    });

    it("A line of nothing but marks terminates", () => {
        const line = "*_[`".repeat(999);
        expect(plain(`${line}a\n`)).to.contain("a");
    });
});
