import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { languages } from "../../src/code/languages.js";
import type { Section } from "../../src/code/section.js";
import { readStructure } from "../../src/code/structure.js";
import { symbolsOf } from "../../src/code/symbols.js";

const folder = fileURLToPath(new URL("../fixtures/code/", import.meta.url));

function lines(sections: readonly Section[], depth = 0): string[] {
    return sections.flatMap(({ type, name, startLine, endLine, children }) => [
        `${"  ".repeat(depth)}${type} ${name} ${startLine}-${endLine}`,
        ...lines(children, depth + 1),
    ]);
}

async function outline(path: string, ...text: string[]): Promise<string[]> {
    return lines((await readStructure(path, `${text.join("\n")}\n`)).sections);
}

async function signatures(path: string, text: string): Promise<string[]> {
    return symbolsOf((await readStructure(path, text)).sections).map(({ signature }) => signature);
}

describe("File structure", () => {
    it("Content stays parsed until enough other content evicts it", async () => {
        const read = async (name: string, text: string) =>
            (await readStructure(name, text)).sections;
        const first = await read("a.ts", "class A {}\n");
        expect(await read("moved/b.ts", "class A {}\n")).to.equal(first);
        expect(await read("a.py", "class A {}\n")).not.to.equal(first);
        for (let index = 0; index < 250; index += 1) await read("a.txt", `text ${index}\n`);
        const again = await read("a.ts", "class A {}\n");
        expect(again).not.to.equal(first);
        expect(again).to.deep.equal(first);
    });

    it("Imports, decorated definitions and exports are found", async () => {
        expect(
            await outline(
                "a.ts",
                'import a from "a";',
                "",
                'import b from "b";',
                "@Component({",
                "    name: 'x',",
                "})",
                "export class Card {",
                "    @Input()",
                "    title = '';",
                "    render() {",
                "        const inner = () => {",
                "        };",
                "    }",
                "}",
                "export { a };",
                "export default b;"
            )
        ).to.deep.equal([
            "imports imports 1-3",
            "class Card 4-14",
            "  property title 8-9",
            "  method render 10-13",
            "    function inner 11-12",
            "exports exports 15-16",
        ]);
    });

    it("Suites and cases of a test file are found and define nothing", async () => {
        const text = [
            'describe("a", () => {',
            '    it("b", () => {',
            "        go();",
            "    });",
            "});",
        ];
        expect(await outline("a.test.ts", ...text)).to.deep.equal([
            'block describe("a", () => 1-5',
            '  block it("b", () => 2-4',
        ]);
        expect(await signatures("a.test.ts", text.join("\n"))).to.deep.equal([]);
    });

    it("A Python definition begins at its first decorator", async () => {
        expect(
            await outline("a.py", "import os", "@one", "@two(", ")", "def f():", "    pass")
        ).to.deep.equal(["imports imports 1-1", "function f 2-6"]);
    });

    it("A Rust item begins at its first attribute, and an impl block is shown by its head", async () => {
        expect(
            await outline(
                "a.rs",
                "#[a]",
                "#[b]",
                "struct S;",
                "impl<T> Draw<T> for S {",
                "    fn a() {}",
                "}"
            )
        ).to.deep.equal(["struct S 1-3", "impl impl<T> Draw<T> for S 4-6", "  method a 5-5"]);
    });

    it("Signatures take one line, without body and decorators", async () => {
        const text = [
            "@Injectable() export class A<T> extends B {",
            "    @Get('/') async load(",
            "        id: string,",
            "        { a = 1 } = {}",
            "    ): Promise<T> { return 1; }",
            "}",
            "export const f = async (x: number): Promise<void> => { };",
            "export type T = { a: 1 };",
        ];
        expect(await signatures("a.ts", text.join("\n"))).to.deep.equal([
            "export class A<T> extends B",
            "async load( id: string, { a = 1 } = {} ): Promise<T>",
            "export const f = async (x: number): Promise<void> =>",
            "export type T = { a: 1 }",
        ]);
    });

    it("An endless signature is cut", async () => {
        const [signature] = await signatures(
            "a.ts",
            `export function f(${"a: string, ".repeat(90)}) {}`
        );
        expect(signature)
            .to.have.lengthOf.at.most(200)
            .and.match(/^export function f\(.*…$/);
    });

    it("A page's sections and the definitions of its styles and scripts have the page's lines", async () => {
        expect(
            await outline(
                "a.html",
                "<!doctype html>",
                "<head><style>",
                "    .card { color: red }",
                "    @media print {",
                "        .x { a: b }",
                "    }",
                "</style>",
                '<script type="application/json">{"function": 1}</script>',
                "</head>",
                "<body>",
                '    <header id="top"><p>text</header>',
                "    <main>",
                "        <section>",
                "        </section>",
                "        <!-- <section> -->",
                "    </main>",
                "    <script>",
                "        function init() {",
                "        }",
                "    </script>",
                '    <script lang="ts">interface A { b(): void }</script>',
                "</body>"
            )
        ).to.deep.equal([
            "element <head> 2-9",
            "  style <style> 2-7",
            "    rule .card 3-3",
            "    rule @media print 4-6",
            "      rule .x 5-5",
            "  script <script> 8-8",
            "element <body> 10-22",
            '  element <header id="top"> 11-11',
            "  element <main> 12-16",
            "    element <section> 13-14",
            "  script <script> 17-20",
            "    function init 18-19",
            "  script <script> 21-21",
            "    interface A 21-21",
            "      method b 21-21",
        ]);
    });

    it("Components are read with their script and style languages", async () => {
        expect(
            await outline(
                "a.vue",
                "<template>",
                "    <Card />",
                '    <div id="x" />',
                "</template>",
                '<script setup lang="ts">',
                "const go = (): void => {};",
                "</script>",
                '<style lang="scss">',
                ".a { .b { c: d } } // {",
                "</style>"
            )
        ).to.deep.equal([
            "element <template> 1-4",
            '  element <div id="x"> 3-3',
            "script <script> 5-7",
            "  const go 6-6",
            "style <style> 8-10",
            "  rule .a 9-9",
            "    rule .b 9-9",
        ]);
    });

    it("An unknown file is chunks of 50 lines", async () => {
        expect(await outline("a.txt", ...Array.from({ length: 101 }, () => "x"))).to.deep.equal([
            "chunk lines 1-50 1-50",
            "chunk lines 51-100 51-100",
            "chunk lines 101-101 101-101",
        ]);
        expect((await readStructure("a.ts", "")).sections).to.deep.equal([]);
    });

    it("The first line identifies a file without a telling name", async () => {
        const read = async (path: string, text: string) =>
            (await readStructure(path, text)).language;
        expect(await read("bin/tool", "#!/usr/bin/env bash\n")).to.equal("bash");
        expect(await read("bin/tool", "#!/usr/bin/python3\n")).to.equal("python");
        expect(await read("bin/tool", "#!/usr/bin/env -S node --x\n")).to.equal("javascript");
        expect(await read("bin/tool", "text")).to.equal("text");
        expect(await read("Gemfile", "")).to.equal("ruby");
        expect(await read("A.TS", "")).to.equal("typescript");
        expect(await read(".ts", "")).to.equal("text");
    });

    it("The valid parts of a file with errors are found", async () => {
        const broken: readonly [string, string, string][] = [
            ["a.ts", "function a() {}\nclass B { m() {} \nconst = ;;; {\n", "a B m"],
            ["b.ts", "function a() {}\nfunction c() {\n  if (x) {\n", "a c"],
            ["c.ts", "class K {\n  m() {}\n  n() {\n    if (x) {\n", "K m n"],
            ["a.go", "package a\nfunc b() {}\nfunc c() {\n  if x {\n", "b c"],
            ["A.java", "class A {\n  void b() {}\n  class C {\n    void d() {}\n", "A b C d"],
            ["a.cs", "class A {\n  void B() {}\n  class C {\n    void D() { if (\n", "A B"],
            ["a.php", "<?php\nfunction a() {}\nclass B {\n  function c() {}\n", "a B c"],
            ["a.rb", "class A\n  def b; end\n  def c\n    if x\n", "A b c"],
            ["a.js", "function a() {\n  if (\n}\nfunction b() {}\n", "a b"],
            ["a.py", "def a():\n    x = (\n\ndef b():\n    pass\n", "a"],
            ["a.sh", 'a() {\n  [ "$x" "$y" ] || :\n}\nb() { :; }\n', "a b"],
            ["a.rs", "fn a() { let x = ; }\nfn b() {\nstruct C {\n", "a b C"],
            [
                "a.cpp",
                "class API_EXPORT A : public B {\n  Q_OBJECT\npublic:\n  void m() NOEXCEPT;\n};\n",
                "A m",
            ],
        ];
        for (const [path, text, expected] of broken) {
            const names = symbolsOf((await readStructure(path, text)).sections).map(
                (symbol) => symbol.name
            );
            expect(names, path).to.include.members(expected.split(" "));
        }
    });

    it("The structure of a file cut anywhere stays in order and within the file", async () => {
        const check = (sections: readonly Section[], first: number, last: number): void => {
            for (const { startLine, endLine, children } of sections) {
                expect(startLine).to.be.within(first, last);
                expect(endLine).to.be.within(startLine, last);
                check(children, 1, last);
            }
        };
        for (const file of readdirSync(folder)) {
            const text = readFileSync(`${folder}${file}`, "utf8");
            for (const share of [0.21, 0.5, 0.83]) {
                const part = text.slice(0, Math.floor(text.length * share));
                check((await readStructure(file, part)).sections, 1, part.split("\n").length);
            }
        }
    });

    it("Every listed language can be read, also an empty file", async () => {
        for (const { id, extensions } of languages) {
            const structure = await readStructure(`a${extensions[0] ?? ""}`, "");
            expect(structure).to.deep.equal({ language: id, sections: [] });
        }
    });

    it("Sections nested deeper than anything reads are left out", async () => {
        const depth = (sections: readonly Section[]): number =>
            sections.length === 0 ? 0 : 1 + depth(sections.flatMap(({ children }) => children));
        const page = await readStructure("a.html", "<div id=a>".repeat(20_000));
        expect(page.language).to.equal("html");
        expect(depth(page.sections)).to.equal(200);
        const { note } = await readStructure("a.css", "a{".repeat(20_000) + "}".repeat(20_000));
        expect(note).to.match(/too long to parse/);
    });

    it("A cancel ends a parse, and a long parse without one completes", async () => {
        const text = "export function name() { return [1, 2, 3].map((x) => x + 1); }\n".repeat(
            4_000
        );
        const aborter = new AbortController();
        const cancelled = readStructure("a.ts", text, aborter.signal);
        const whole = readStructure("b.ts", text);
        aborter.abort(new Error("cancelled"));
        const reason = await cancelled.catch((error: unknown) => error);
        expect(reason).to.be.an("error").with.property("message", "cancelled");
        expect((await whole).sections).to.have.lengthOf(4_000);
    });

    it("Text that takes too long to parse is split into equal parts with a note, without blocking", async () => {
        const text = "$(".repeat(60_000);
        let ticks = 0;
        const timer = setInterval(() => ticks++, 1);
        const structure = await readStructure("a.sh", text);
        clearInterval(timer);
        expect(structure).to.deep.equal({
            language: "text",
            sections: (await readStructure("a.txt", text)).sections,
            note: "The file takes too long to parse. Use search_text and read_file with a range.",
        });
        expect(ticks).to.be.greaterThan(100);
        expect((await readStructure("b.sh", "f() { true; }")).sections[0]?.name).to.equal("f");
    });

    it("A cancel ends a parse that cannot be interrupted", async () => {
        const aborter = new AbortController();
        const parsing = readStructure("a.cpp", "template<".repeat(20_001), aborter.signal);
        const later = readStructure("a.py", "def f(): pass");
        aborter.abort(new Error("cancelled"));
        const reason = await parsing.catch((error: unknown) => error);
        expect(reason).to.be.an("error").with.property("message", "cancelled");
        expect((await later).sections[0]?.name).to.equal("f");
    });
});
