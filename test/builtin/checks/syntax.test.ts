import { expect } from "chai";
import { syntax } from "../../../src/builtin/checks/syntax.js";
import type { CheckContext } from "../../../src/plugin/index.js";

async function findings(path: string, before: string | null, after: string | null) {
    const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));
    const change = { path, before: bytes(before), beforeHash: null, after: bytes(after) };
    const { signal } = new AbortController();
    const found = await syntax.onProposal?.({ changes: [change] }, { signal } as CheckContext);
    return (found ?? []).map(({ line, severity, text }) => `${line} ${severity} ${text}`);
}

const GOOD_AND_BAD: Readonly<Record<string, readonly [good: string, bad: string]>> = {
    "a.ts": ["const a: number = 1;\n", "\nconst a: number = (1;\n"],
    "a.tsx": ["const a = <p>x</p>;\n", "\nconst a = <p>x;\n"],
    "a.js": ["let a = [1];\n", "\nlet a = [1;\n"],
    "a.py": ["def f():\n    return 1\n", "\ndef f(:\n    return 1\n"],
    "a.rs": ["fn f() {}\n", "\nfn f( {}\n"],
    "a.go": ["package a\n", "\npackage a; func f( {}\n"],
    "A.java": ["class A {}\n", "\nclass A { void f( }\n"],
    "A.cs": ["class A {}\n", "\nclass A { void F( }\n"],
    "a.php": ["<?php echo 1;\n", "\n<?php echo (1;\n"],
    "a.cpp": ["int a = 1;\n", "\nint a = (1;\n"],
    "a.rb": ["def f\nend\n", "\ndef f(\n"],
    "a.sh": ["if true; then ls; fi\n", "\nif true; then ls; f(\n"],
    "a.css": ["a { color: red }\n", "\na { color: red\n"],
    "a.scss": ["a { b { color: red } }\n", "\na { b { color: red }\n"],
    "a.html": ["<script>let a = 1;</script>\n", "\n<script>let a = (1;</script>\n"],
    "a.vue": ["<script>let a = 1;</script>\n", "\n<script>let a = (1;</script>\n"],
    "a.json": ['{"a": 1}\n', '\n{"a": 1,}\n'],
    "a.yaml": ["a: 1\nb: [2]\n", "\na: [1\n"],
    "a.toml": ["a = 1\n", "\na = \n"],
};

describe("The check of syntax", () => {
    for (const [path, [good, bad]] of Object.entries(GOOD_AND_BAD)) {
        it(`A syntax error introduced into ${path} is found, and valid text has none`, async () => {
            expect(await findings(path, null, good)).to.deep.equal([]);
            const found = await findings(path, good, bad);
            expect(found).to.have.length(1);
            expect(found[0]).to.match(/^[23] error \+\d+ syntax errors?, \S/);
            expect(await findings(path, bad, `${bad}\n`)).to.deep.equal([]);
        });
    }

    it("An existing syntax error is not reported, and a new one next to it is, at its line", async () => {
        const old = "let a = (1;\nlet b = 2;\nlet c = 3;\n";
        expect(await findings("a.js", old, `// more\n${old}`)).to.deep.equal([]);
        const [found] = await findings("a.js", old, old.replace("c = 3", "c = [3"));
        expect(found).to.match(/^3 error \+1 syntax error,/);
    });

    it("Conflict markers are found in files of every kind, and underlined headings are not", async () => {
        const conflict = "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n";
        for (const path of ["a.txt", "a.ts", "a.json"]) {
            expect(await findings(path, "a\n", conflict), path).to.deep.equal([
                "2 error +1 conflict marker, left by a merge",
            ]);
        }
        expect(await findings("a.md", "", "Title\n=======\n")).to.deep.equal([]);
    });

    it("Settings with comments, templates, deleted files and binaries are not checked for syntax", async () => {
        expect(await findings("tsconfig.json", null, "{/* c */}")).to.deep.equal([]);
        expect(await findings("chart.yaml", null, "a: {{ .Values.a }}: [")).to.deep.equal([]);
        expect(await findings("a.json", "{}", null)).to.deep.equal([]);
        expect(await findings("a.json", "{}", "\0{")).to.deep.equal([]);
    });
});
