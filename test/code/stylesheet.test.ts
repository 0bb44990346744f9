import { expect } from "chai";
import fc from "fast-check";
import type { Section } from "../../src/code/section.js";
import { readStylesheet, type StylesheetSyntax } from "../../src/code/stylesheet.js";

function lines(sections: readonly Section[], depth = 0): string[] {
    return sections.flatMap(({ name, startLine, endLine, children }) => [
        `${"  ".repeat(depth)}${name} ${startLine}-${endLine}`,
        ...lines(children, depth + 1),
    ]);
}

const rulesOf =
    (syntax: StylesheetSyntax) =>
    async (text: string): Promise<string[]> =>
        lines(await readStylesheet(text, syntax));
const css = rulesOf("css");
const scss = rulesOf("scss");
const less = rulesOf("less");
const syntaxes = fc.constantFrom<StylesheetSyntax>("css", "scss", "less");

describe("Style sheet rules", () => {
    it("Selectors and rules inside media queries are found, with all lines of a long selector", async () => {
        const text = [
            '@import "a.css";',
            ".card,",
            ".panel > li:hover {",
            "    color: red;",
            "}",
            "@media (min-width: 100px) {",
            "    .card { color: blue }",
            "    #x::before { content: '}' }",
            "}",
            "@font-face { src: url(data:font/woff;base64,{}) }",
        ].join("\n");
        expect(await css(text)).to.deep.equal([
            ".card, .panel > li:hover 2-5",
            "@media (min-width: 100px) 6-9",
            "  .card 7-7",
            "  #x::before 8-8",
            "@font-face 10-10",
        ]);
    });

    it("Comments, strings and animation steps are not rules", async () => {
        const text = [
            "/* .no { } */ .yes /* { */ {",
            '    content: "} .no {";',
            "}",
            "@keyframes fade { from { opacity: 0 } to { opacity: 1 } }",
            ".a\\{b { c: d }",
        ].join("\n");
        expect(await css(text)).to.deep.equal([".yes 1-3", "@keyframes fade 4-4", ".a\\{b 5-5"]);
    });

    it("A comment may stand above or inside a selector", async () => {
        expect(await css("/* one\ntwo */\n.a, /* x\ny */\n.b {\n}")).to.deep.equal([".a, .b 3-6"]);
    });

    it("SCSS rules are nested, with mixins, functions, interpolation and line comments", async () => {
        const text = [
            "// it's { a comment",
            "$map: (a: 1, b: 2);",
            "@mixin button($size: 10px) {",
            "    &:hover { color: red; }",
            "}",
            ".card {",
            "    @include button(2px);",
            "    background: url(http://x.y/{z}.png);",
            "    .icon-#{$name} { width: calc(100% - #{$x}); }",
            "    &__title { font: { size: 1px; } }",
            "}",
            "@function double($n) { @return $n * 2; }",
        ].join("\n");
        expect(await scss(text)).to.deep.equal([
            "@mixin button($size: 10px) 3-5",
            "  &:hover 4-4",
            ".card 6-11",
            "  .icon-#{$name} 9-9",
            "  &__title 10-10",
            "    font: 10-10",
            "@function double($n) 12-12",
        ]);
    });

    it("Less rules are found with guards, semicolon-separated arguments and name interpolation", async () => {
        const text = [
            ".mixin(@a; @b: 2) when (iscolor(@a)) { color: @a }",
            ".@{name}-x {",
            "    .mixin(#fff; 1);",
            '    width: ~"calc(1 - {2})";',
            "}",
        ].join("\n");
        expect(await less(text)).to.deep.equal([
            ".mixin(@a; @b: 2) when (iscolor(@a)) 1-1",
            ".@{name}-x 2-5",
        ]);
    });

    it("A rule with a missing brace reaches to the end, and a surplus brace closes nothing", async () => {
        expect(await css("} .a {\n.b { c: d }\n")).to.deep.equal([".a 1-2", "  .b 2-2"]);
        expect(await scss(".a {\n.b { c: d }\n// }\n\n")).to.deep.equal([".a 1-4", "  .b 2-2"]);
    });

    it("Valid rules are found around invalid ones", async () => {
        const text = [
            ".a { color: red; nonsense }",
            ".b { : ; ] }",
            '.c { content: "open }',
            "}",
            "@media print { .d { e: f } }",
        ].join("\n");
        const found = [".a 1-1", ".b 2-2", ".c 3-4", "@media print 5-5", "  .d 5-5"];
        expect(await css(text)).to.deep.equal(found);
        expect(await scss(text)).to.deep.equal(found);
    });

    it("Values in braces are not rules, and a quote in a Less comment opens no string", async () => {
        expect(await css(":root { --x: { a: b }; }\n[a='{'] {}")).to.deep.equal([
            ":root 1-1",
            "[a='{'] 2-2",
        ]);
        expect(await less(".a {\n    // it's\n    .b { c: d }\n}\n.e { f: 'g' }")).to.deep.equal([
            ".a 1-4",
            "  .b 3-3",
            ".e 5-5",
        ]);
    });

    it("Rules nest and stay inside the file, whatever the text", async () => {
        const piece = fc.constantFrom(..."{}();'\"/*\n#@\\ ", ".a ", "url(", "//", "#{", "b: c");
        const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
        const check = (sections: readonly Section[], first: number, last: number): void => {
            for (const { startLine, endLine, children } of sections) {
                expect(startLine).to.be.within(first, last);
                expect(endLine).to.be.within(startLine, last);
                check(children, startLine, endLine);
            }
        };
        await fc.assert(
            fc.asyncProperty(text, syntaxes, async (sheet, syntax) => {
                check(await readStylesheet(sheet, syntax), 1, sheet.split("\n").length);
            }),
            { numRuns: 500 }
        );
    });

    it("Rules found by braces alone, without a parser, are the same", async () => {
        const head = fc.constantFrom(
            ...[".a", ".b,\n.c > d:hover", "@media (min-width: 1px)", "@supports not (a: b)"],
            ...["@font-face", "@keyframes x", "/* { */ .e", '[f="}"]', ".g\\{h"]
        );
        const value = fc.constantFrom("a: b;", "c: url(d;{e);", '  f: "}";', "/* } */", "\n");
        const { rule } = fc.letrec<{ rule: string }>((tie) => ({
            rule: fc
                .tuple(head, fc.array(fc.oneof(value, tie("rule")), { maxLength: 3 }))
                .map(([name, inner]) => `${name} {${inner.join("\n")}}\n`),
        }));
        await fc.assert(
            fc.asyncProperty(fc.array(rule, { maxLength: 4 }), async (rules) => {
                const sheet = rules.join("");
                expect(await less(sheet)).to.deep.equal(await css(sheet));
                expect(await scss(sheet)).to.deep.equal(await css(sheet));
            }),
            { numRuns: 100 }
        );
    });
});
