import { Worker } from "node:worker_threads";
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

    const VALID: Readonly<Record<string, string>> = {
        "variance.ts": "interface Box<in out T> { value: T }\ntype Read<out T> = () => T;\n",
        "new.cpp": "int f() {\n    if consteval { return 1; } else { return 2; }\n}\n",
        "new.rs": 'unsafe extern "C" {\n    safe fn f(a: i32) -> i32;\n}\n',
        "words.c": "int f(int new, int class) { return new + class; }\n",
        "macros.h":
            '#ifdef __cplusplus\nextern "C" {\n#endif\n#define END }\nstruct a { int b; END;\n#ifdef __cplusplus\n}\n#endif\n',
        "plain.sh": 'exec 3<>"$file"\n',
        "template.html": "<script>const a = {{ data | tojson }};</script>\n",
        "compiler_depend.ts":
            "# CMAKE generated file: DO NOT EDIT!\n# Timestamp file for compiler generated dependencies management for x.\n",
        "app_de.ts":
            '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n<TS version="2.1" language="de_DE"><context/></TS>\n',
        "untyped.ts": "<!DOCTYPE TS><TS></TS>\n",
        "program.ts": "#!/usr/bin/env -S npx tsx\nconst a: number = 1;\n",
        "common.js": "#!/usr/bin/env node\nif (!process.argv[2]) return;\n",
        "module.js": 'import a from "a" with { type: "json" };\nexport default await a;\n',
        "imported.d.ts":
            'declare const a: import("b").C<D, import("e").F> & {\n    g: string;\n};\nexport default a;\n',
        "text.tsx": "const a = use<A | undefined>();\nconst b = <p>cd a && mv b /usr/bin/</p>;\n",
        "decorated.ts": "@A()\nclass B {\n    constructor(@C() private readonly d: D) {}\n}\n",
        "flow.js": "// @flow\nconst f = (a: ?number): string => String(a);\n",
        "names.js": "export { a };\nawait f();\nconst b = <p>a</p>;\n",
        "nested.sh": "if ! IFS=1 C=($(A=1 b)); then\n    echo a; fi\n",
        "here.sh": 'cat >a <<\\EOF ||\n{\n    "b": [\nEOF\ndie c\n',
        "words.sh": "echo then fi\ncase a in done) ;; esac\n",
        "guard.less": ".a when (@b) { .c(@d; @e); @{f}: ~'}'; // }\n}\n",
        "indented.py":
            "class A:\n\tdef f(self,\n  b):\n\t\treturn {'a':\n1}\n# x\n\n    # y\n\nif a: b\n" +
            'x = """\n  y\n"""\n' +
            "with a as b, \\\n        c as d:\n    pass\nelse_: int = 1\nf = lambda: 1\n" +
            "match a:\n    case [1, *_]:\n        pass\n    case _: pass\n",
    };
    for (const [path, text] of Object.entries(VALID)) {
        it(`Valid text that a grammar may not know has no error in ${path}`, async () => {
            expect(await findings(path, null, text)).to.deep.equal([]);
        });
    }

    const INVALID: Readonly<Record<string, readonly string[]>> = {
        "a.py": [
            ...["def f():\nreturn 1\n", "if a:\nb = 1\n", "def f():\n        a = 1\n    b = 2\n"],
            ...["a = 1\n    b = 2\n", "class A:\n", "for x in y:\n"],
        ],
        "a.ts": ["const limit = = 3;\n", "const a: = 1;\n", "let b = ;\n"],
        "a.go": ["package a\n\nvar b = = 1\n"],
        "b.ts": ["f(1,,2);\n", "const a = {a: 1,, b: 2};\n", "class { }\n", "export const a;\n"],
        "a.tsx": ["const a = <p></b>;\n"],
        "a.sh": [
            ...["echo a\nthen\n", "if true; then\n    echo a\nfi\nfi\n", "f() {\n    a\n}\n}\n"],
            "for i in 1; do\n    echo\ndone\ndone\n",
        ],
        "a.rb": ["def f\n  g\nend\nend\n"],
        "a.less": [".a {\n  .b { c: d }\n", ".a { b: c; }\n}\n"],
        "module.js": ['import a from "a";\nf(1,,2);\n'],
        "a.js": ["const a = {a: 1,, b: 2};\n", "f(1,,2);\n", "const a;\n", "class { }\n"],
    };
    for (const [path, texts] of Object.entries(INVALID)) {
        for (const text of texts) {
            it(`What no engine parses is found in ${path}: ${JSON.stringify(text)}`, async () => {
                expect(await findings(path, null, text)).to.have.length(1);
            });
        }
    }

    it("An existing syntax error is not reported, and a new one next to it is, at its line", async () => {
        const old = "let a = (1;\nlet b = 2;\nlet c = 3;\n";
        expect(await findings("a.js", old, `// more\n${old}`)).to.deep.equal([]);
        const [found] = await findings("a.js", old, old.replace("c = 3", "c = [3"));
        expect(found).to.match(/^3 error \+1 syntax error,/);
    });

    it("What nothing ends is found where it begins, and not at the top of the file", async () => {
        const rust = "//! Sums.\nuse std::fmt;\nfn a() {\n    if true {\n    b()\n}\nfn b() {}\n";
        expect(await findings("a.rs", null, rust)).to.deep.equal([
            "3 error +1 syntax error, unterminated `{`",
        ]);
        const ruby = "# Sums.\nmodule A\n  class B\n    def c\n      d\n  end\nend\n";
        expect(await findings("a.rb", null, ruby)).to.deep.equal([
            "2 error +1 syntax error, unterminated `module`",
        ]);
        expect(await findings("b.rb", null, ruby.replace("d\n", "d(\n"))).to.deep.equal([
            "5 error +1 syntax error, unterminated `(`",
        ]);
        const java = "class A {\n  void f() {\n    switch a) {\n    }\n  }\n}\n";
        const [found] = await findings("A.java", null, java);
        expect(found).to.match(/^3 error \+\d syntax errors?, near/);
    });

    it("An unexpected token of JSON is found at its line, without the lines around it", async () => {
        const text = '\uFEFF{\n  "a": 1,\n  "b": tru,\n  "c": [1, 2]\n}\n';
        expect(await findings("a.json", "{}", text)).to.deep.equal([
            "3 error +1 syntax error, Unexpected token ','",
        ]);
    });

    it("YAML that is nested deeper than the parser can follow is not called wrong", async () => {
        const text = `a: ${"[".repeat(5_000)}${"]".repeat(5_000)}\n`;
        expect(await findings("a.yaml", "a: 1\n", text)).to.deep.equal([]);
        expect(await findings("b.yaml", "a: 1\n", `${"- ".repeat(5_000)}a\n`)).to.deep.equal([]);
    });

    it("Only what was not checked before is parsed for a later review of a draft", async () => {
        const { signal } = new AbortController();
        const review = async (texts: readonly string[]) => {
            const changes = texts.map((text, file) => ({
                ...{ path: `known/${file}.ts`, before: null, beforeHash: null },
                after: Buffer.from(text),
            }));
            const parsed = await parsedDuring(async () => {
                await syntax.onProposal?.({ changes }, { signal } as CheckContext);
            });
            return parsed.filter((text) => text !== "");
        };
        const texts = Array.from({ length: 4 }, (_, file) => `const draft${file} = 1;\n`);
        expect(await review(texts)).to.deep.equal(texts);
        const changed = texts.with(2, "const draft = (1;\n");
        expect(await review(changed)).to.deep.equal(["const draft = (1;\n"]);
        expect(await review(changed)).to.deep.equal([]);
    });

    it("The same text is judged by the language of each file", async () => {
        const text = "let a = <p>x</p>;\n";
        expect(await findings("a.tsx", null, text)).to.deep.equal([]);
        expect(await findings("a.ts", null, text)).to.have.length(1);
        expect(await findings("b.tsx", null, text)).to.deep.equal([]);
        expect(await findings("b.ts", null, text)).to.have.length(1);
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

/** The texts that the parser's thread gets. */
async function parsedDuring(work: () => Promise<void>): Promise<readonly string[]> {
    const texts: string[] = [];
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (...message: Parameters<typeof postMessage>) {
        const [{ what, text }] = message;
        if (what === "errors") texts.push(text);
        postMessage.apply(this, message);
    };
    try {
        await work();
        return texts;
    } finally {
        Worker.prototype.postMessage = postMessage;
    }
}
