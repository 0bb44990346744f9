import { expect } from "chai";
import { ChangeKinds } from "../../src/code/change-kind.js";

const { signal } = new AbortController();

async function kindOf(path: string, before: string, after: string): Promise<string> {
    const change = { path, before, after };
    return (await ChangeKinds.of([change], signal)).kindOf(change);
}

describe("What a change is about", () => {
    for (const [name, path, before, after, kind] of [
        ["A changed comment", "a.ts", "// one\nf();\n", "// two\nf();\n", "comments"],
        ["A new doc comment", "a.ts", "f();\n", "/** Why. */\nf();\n", "comments"],
        ["A comment of Python", "a.py", "x = 1\n", "x = 1  # why\n", "comments"],
        ["A moved line break", "a.ts", "f(a, b);\n", "f(\n    a,\n    b\n);\n", "comments"],
        [
            "A renamed function",
            "a.ts",
            "function f() {}\nf();\n",
            "function g() {}\ng();\n",
            "names",
        ],
        ["A renamed variable of Python", "a.py", "x = 1\nprint(x)\n", "n = 1\nprint(n)\n", "names"],
        [
            "A renamed parameter of Go",
            "a.go",
            "package p\nfunc f(a int) int { return a }\n",
            "package p\nfunc f(b int) int { return b }\n",
            "names",
        ],
        ["A document", "docs/a.md", "one\n", "two\n", "documents"],
        ["A licence", "LICENSE", "one\n", "two\n", "documents"],
        ["A test", "test/a.test.ts", "f();\n", "g();\n", "tests"],
        ["A test of Go", "pkg/a_test.go", "package p\n", "package p\nvar x = 1\n", "tests"],
        ["A changed number", "a.ts", "f(1);\n", "f(2);\n", "code"],
        ["Another variable", "a.ts", "let a, b;\nf(a);\n", "let a, b;\nf(b);\n", "code"],
        ["Another function of a module", "a.ts", "Math.floor(1.5);\n", "Math.ceil(1.5);\n", "code"],
        [
            "Another import",
            "a.ts",
            'import { a } from "x";\na();\n',
            'import { b } from "x";\nb();\n',
            "code",
        ],
        [
            "A changed string",
            "a.go",
            'package p\nvar s = "a"\n',
            'package p\nvar s = "a "\n',
            "code",
        ],
        ["A blank in a string", "a.ts", 'f("a b");\n', 'f("a  b");\n', "code"],
        ["A comment sign in a string", "a.ts", 'f("// a");\n', 'f("// b");\n', "code"],
        [
            "Another indentation in Python",
            "a.py",
            "if a:\n    f()\n    g()\n",
            "if a:\n    f()\ng()\n",
            "code",
        ],
        ["Commented-out code", "a.ts", "f();\ng();\n", "f();\n// g();\n", "code"],
        [
            "A docstring, which programs can read",
            "a.py",
            'def f():\n    """One."""\n',
            'def f():\n    """Two."""\n',
            "code",
        ],
        ["A file of no known language", "data.bin", "a", "b", "code"],
        ["A new file", "a.ts", "", "f();\n", "code"],
        [
            "Two names that become one",
            "a.ts",
            "let a = 1, b = 2;\nf(a, b);\n",
            "let c = 1;\nf(c, c);\n",
            "code",
        ],
    ] as const) {
        it(`${name} counts as ${kind}`, async () => {
            expect(await kindOf(path, before, after)).to.equal(kind);
        });
    }

    it("Uses of a renamed function in another file count as names", async () => {
        const use = { path: "b.ts", before: "f(1);\n", after: "g(1);\n" };
        const definition = {
            path: "a.ts",
            before: "function f() {}\n",
            after: "function g() {}\n",
        };
        const kinds = await ChangeKinds.of([definition, use], signal);
        expect(await kinds.kindOf(use)).to.equal("names");
        expect(await (await ChangeKinds.of([use], signal)).kindOf(use)).to.equal("code");
    });
});
