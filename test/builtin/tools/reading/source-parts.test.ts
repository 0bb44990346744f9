import { expect } from "chai";
import { enclosingBlock, importsOf } from "../../../../src/builtin/tools/reading/source-parts.js";

const { signal } = new AbortController();

async function blockOf(path: string, text: string, line: number): Promise<string> {
    const lines = text.split("\n");
    const { start, end } = await enclosingBlock(
        { path, lines },
        { start: line, end: line },
        signal
    );
    return `${start}-${end}`;
}

describe("Parts of a source file", () => {
    it("Parts are found regardless of layout", async () => {
        const text = "function f() {\nconst s = `\nfunction g() {\n`;\nreturn s;\n}\nf();";

        expect(await blockOf("a.ts", text, 5)).to.equal("1-6");
    });

    it("A part begins with its comments and decorators", async () => {
        const text = "import os\n\n# Why.\n@cached\ndef f():\n    if x:\n        return 1\n";

        expect(await blockOf("a.py", text, 7)).to.equal("3-7");
    });

    it("Document sections and style sheet rules are parts as well", async () => {
        expect(await blockOf("a.md", "# A\n\none\n\n# B\n\ntwo", 3)).to.equal("1-4");
        expect(await blockOf("a.css", "a {\n color: red;\n}\nb {\n color: blue;\n}", 5)).to.equal(
            "4-6"
        );
    });

    it("In an unknown language the layout decides", async () => {
        expect(await blockOf("a.zzz", "thing one\n    inside\nend\nthing two", 2)).to.equal("1-3");
    });

    it("The first run of imports is found, and nothing that only resembles one", async () => {
        const text =
            "/*\nimport fake\n*/\nimport a from 'a';\nimport {\n    b\n} from 'b';\n\nconst c = 1;";

        expect(await importsOf({ path: "a.ts", lines: text.split("\n") }, signal)).to.deep.equal({
            start: 4,
            end: 7,
        });
    });
});
