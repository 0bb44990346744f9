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

describe("the parts of a source file", () => {
    it("are found where layout says nothing", async () => {
        const text = "function f() {\nconst s = `\nfunction g() {\n`;\nreturn s;\n}\nf();";

        expect(await blockOf("a.ts", text, 5)).to.equal("1-6");
    });

    it("begin with the comments and decorators that belong to them", async () => {
        const text = "import os\n\n# Why.\n@cached\ndef f():\n    if x:\n        return 1\n";

        expect(await blockOf("a.py", text, 7)).to.equal("3-7");
    });

    it("are a document's sections and a stylesheet's rules as well", async () => {
        expect(await blockOf("a.md", "# A\n\none\n\n# B\n\ntwo", 3)).to.equal("1-4");
        expect(await blockOf("a.css", "a {\n color: red;\n}\nb {\n color: blue;\n}", 5)).to.equal(
            "4-6"
        );
    });

    it("go by the layout of a language nobody knows", async () => {
        expect(await blockOf("a.zzz", "thing one\n    inside\nend\nthing two", 2)).to.equal("1-3");
    });

    it("hold the first run of imports, and none that only look like imports", async () => {
        const text =
            "/*\nimport fake\n*/\nimport a from 'a';\nimport {\n    b\n} from 'b';\n\nconst c = 1;";

        expect(await importsOf({ path: "a.ts", lines: text.split("\n") }, signal)).to.deep.equal({
            start: 4,
            end: 7,
        });
    });
});
