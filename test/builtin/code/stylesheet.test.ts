import { expect } from "chai";
import fc from "fast-check";
import type { Section } from "../../../src/builtin/code/section.js";
import { readStylesheet } from "../../../src/builtin/code/stylesheet.js";

function lines(sections: readonly Section[], depth = 0): string[] {
    return sections.flatMap(({ name, startLine, endLine, children }) => [
        `${"  ".repeat(depth)}${name} ${startLine}-${endLine}`,
        ...lines(children, depth + 1),
    ]);
}

const css = (text: string): string[] => lines(readStylesheet(text, false));
const scss = (text: string): string[] => lines(readStylesheet(text, true));

describe("rules of a style sheet", () => {
    it("are selectors and the rules inside media queries, with all lines of a long selector", () => {
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
        expect(css(text)).to.deep.equal([
            ".card, .panel > li:hover 2-5",
            "@media (min-width: 100px) 6-9",
            "  .card 7-7",
            "  #x::before 8-8",
            "@font-face 10-10",
        ]);
    });

    it("leave out comments, strings and the steps of animations", () => {
        const text = [
            "/* .no { } */ .yes /* { */ {",
            '    content: "} .no {";',
            "}",
            "@keyframes fade { from { opacity: 0 } to { opacity: 1 } }",
            ".a\\{b { c: d }",
        ].join("\n");
        expect(css(text)).to.deep.equal([".yes 1-3", "@keyframes fade 4-4", ".a\\{b 5-5"]);
    });

    it("may have a comment above or inside the selector", () => {
        expect(css("/* one\ntwo */\n.a, /* x\ny */\n.b {\n}")).to.deep.equal([".a, .b 3-6"]);
    });

    it("are nested in SCSS, with mixins, functions, interpolation and line comments", () => {
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
        expect(scss(text)).to.deep.equal([
            "@mixin button($size: 10px) 3-5",
            "  &:hover 4-4",
            ".card 6-11",
            "  .icon-#{$name} 9-9",
            "  &__title 10-10",
            "    font: 10-10",
            "@function double($n) 12-12",
        ]);
    });

    it("are found in Less with guards, arguments divided by semicolons and name interpolation", () => {
        const text = [
            ".mixin(@a; @b: 2) when (iscolor(@a)) { color: @a }",
            ".@{name}-x {",
            "    .mixin(#fff; 1);",
            '    width: ~"calc(1 - {2})";',
            "}",
        ].join("\n");
        expect(scss(text)).to.deep.equal([
            ".mixin(@a; @b: 2) when (iscolor(@a)) 1-1",
            ".@{name}-x 2-5",
        ]);
    });

    it("reach to the end where a brace is missing, and one too many closes nothing", () => {
        expect(css("} .a {\n.b { c: d }\n")).to.deep.equal([".a 1-3", "  .b 2-2"]);
    });

    it("lie inside one another and inside the file, whatever the text", () => {
        const piece = fc.constantFrom(..."{}();'\"/*\n#@\\ ", ".a ", "url(", "//", "#{", "b: c");
        fc.assert(
            fc.property(fc.array(piece, { maxLength: 60 }), fc.boolean(), (pieces, comments) => {
                const text = pieces.join("");
                const check = (sections: readonly Section[], first: number, last: number): void => {
                    for (const { startLine, endLine, children } of sections) {
                        expect(startLine).to.be.within(first, last);
                        expect(endLine).to.be.within(startLine, last);
                        check(children, startLine, endLine);
                    }
                };
                check(readStylesheet(text, comments), 1, text.split("\n").length);
            })
        );
    });
});
