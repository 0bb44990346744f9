import { expect } from "chai";
import fc from "fast-check";
import { blockAround, importLines } from "../../../../src/builtin/tools/reading/indentation.js";

function importsOf(text: string): string | undefined {
    const range = importLines(text.split("\n"));
    return range === undefined ? undefined : `${range.start}-${range.end}`;
}

/** The block around the lines marked with `<`. */
function blockOf(text: string): string {
    const lines = text.split("\n");
    const marked = lines.flatMap((line, index) => (line.endsWith("<") ? [index + 1] : []));
    const plain = lines.map((line) => line.replace(/\s*<$/, ""));
    const range = { start: marked[0] ?? 1, end: marked.at(-1) ?? 1 };
    const block = blockAround(plain, range);
    return `${block.start}-${block.end}`;
}

describe("Imports by line", () => {
    const cases: readonly (readonly [
        language: string,
        text: string,
        expected: string | undefined,
    ])[] = [
        ["JavaScript", 'import a from "a";\n\nconst b = require("b");\nrun();', "1-3"],
        [
            "Python",
            '"""Doc."""\nimport os\nfrom a import (\n    b,\n)\n\nclass A:\n    pass',
            "2-5",
        ],
        ["Go", 'package main\n\nimport (\n\t"fmt"\n)\n\nfunc main() {}', "1-5"],
        ["Rust", "//! Doc\nuse std::fs;\nuse a::{\n    b,\n};\nmod c;\n\nfn main() {}", "2-6"],
        ["C", "/* x */\n#include <a.h>\n#include <b.h>\nint main() {}", "2-3"],
        ["C#", "using System;\nusing A.B;\n\nnamespace C {}", "1-2"],
        ["PHP", "<?php\nuse A\\B;\nrequire_once 'c.php';\nclass D {}", "2-3"],
        ["nothing", "const a = 1;\n", undefined],
    ];

    for (const [language, text, expected] of cases) {
        it(`The imports of ${language} are found`, () => {
            expect(importsOf(text)).to.equal(expected);
        });
    }
});

it("Imports that are never closed are read in linear time", () => {
    expect(importsOf("import (\n".repeat(200_000))).to.equal("1-1");
});

describe("Enclosing block by indentation", () => {
    it("The function around control flow is found, with its decorators and comments", () => {
        expect(
            blockOf(
                "x = 1\n\n# Why.\n@cached\ndef f(a):\n    if a:\n        return 1 <\n    return 2\n\ny = 2"
            )
        ).to.equal("3-8");
    });

    it("The method is found, not the class", () => {
        expect(blockOf("class A {\n    a() {\n        one(); <\n    }\n\n    b() {}\n}")).to.equal(
            "2-4"
        );
    });

    it("Lines that span two methods belong to the class", () => {
        expect(
            blockOf("class A {\n    a() {\n        one(); <\n    } <\n\n    b() {} <\n}")
        ).to.equal("1-7");
    });

    it("A range that begins with a block belongs to that block", () => {
        expect(blockOf("a();\nfunction f() { <\n    b();\n}\nc();")).to.equal("2-4");
    });

    it("A block continues through else and catch", () => {
        expect(
            blockOf(
                "function f() {\n    try {\n        a(); <\n    } catch {\n        b();\n    }\n}\ng();"
            )
        ).to.equal("1-7");
    });

    it("A block includes its closing keyword", () => {
        expect(blockOf("def a\n  one <\nend\n\ndef b\nend")).to.equal("1-3");
    });

    it("At the top level the range itself is the block", () => {
        expect(blockOf("a();\nb(); <\nc();")).to.equal("2-2");
    });

    it("The block always contains the range and stays within the file", () => {
        const line = fc.constantFrom("", "a", "  b {", "  }", "\tc", "    if x:", "}", "end", "@d");
        fc.assert(
            fc.property(
                fc.array(line, { minLength: 1, maxLength: 30 }),
                fc.nat(),
                fc.nat(),
                (lines, first, length) => {
                    const start = 1 + (first % lines.length);
                    const end = Math.min(lines.length, start + (length % 5));
                    const block = blockAround(lines, { start, end });
                    expect(block.start).to.be.within(1, start);
                    expect(block.end).to.be.within(end, lines.length);
                }
            )
        );
    });
});
