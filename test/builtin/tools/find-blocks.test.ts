import { expect } from "chai";
import { findBlocks } from "../../../src/builtin/tools/find-blocks.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";

type FindBlocksInput = Parameters<typeof findBlocks.execute>[0];

const page = [
    "<html><head>",
    "<style>",
    "    .site-footer { color: red }",
    "    @media print { .x { a: b } }",
    "</style>",
    "</head><body>",
    "    <header></header>",
    "<script>",
    "    function initApp() {",
    "    }",
    "</script>",
    "<style>",
    "    .late { a: b }",
    "</style>",
    "</body></html>",
].join("\n");

async function blocks(files: Record<string, string>, input: FindBlocksInput): Promise<string[]> {
    const context = await makeToolContext({ files });
    const data = dataOf(await findBlocks.execute(input, context));
    return data.blocks.map(
        (block) => `${block.id} ${block.label} ${block.startLine}-${block.endLine}`
    );
}

describe("find_blocks", () => {
    it("A page is mapped with its styles and scripts", async () => {
        expect(await blocks({ "a.html": page }, { path: "a.html" })).to.deep.equal([
            "html-0 <head> 1-6",
            "style-0 <style> (lines 2-5) 2-5",
            "style0-css-0 .site-footer 3-3",
            "style0-css-1 @media print 4-4",
            "style0-css-2 .x 4-4",
            "html-1 <body> 6-15",
            "html-2 <header> 7-7",
            "script-0 <script> (lines 8-11) 8-11",
            "script0-js-0 function initApp 9-10",
            "style-1 <style> (lines 12-14) 12-14",
            "style1-css-0 .late 13-13",
        ]);
    });

    it("An element carries its id, else its class", async () => {
        const text =
            '<body>\n<nav class="main-nav">\n</nav>\n<section id="a" class="b">\n</section>\n</body>\n';
        expect(await blocks({ "a.html": text }, { path: "a.html" })).to.deep.equal([
            "html-0 <body> 1-6",
            'html-1 <nav class="main-nav"> 2-3',
            'html-2 <section id="a"> 4-5',
        ]);
    });

    it("Block ids stay the same when only one kind is requested", async () => {
        expect(
            await blocks({ "a.html": page }, { path: "a.html", kind: "js_ts_symbol" })
        ).to.deep.equal([
            "script-0 <script> (lines 8-11) 8-11",
            "script0-js-0 function initApp 9-10",
        ]);
        expect(
            await blocks({ "a.html": page }, { path: "a.html", kind: "html_section" })
        ).to.deep.equal([
            "html-0 <head> 1-6",
            "style-0 <style> (lines 2-5) 2-5",
            "html-1 <body> 6-15",
            "html-2 <header> 7-7",
            "script-0 <script> (lines 8-11) 8-11",
            "style-1 <style> (lines 12-14) 12-14",
        ]);
    });

    it("Code is mapped without imports, and members name their parent", async () => {
        const text = "import os\nclass A:\n    def b(self): pass\ndef c(): pass\n";
        expect(
            await blocks({ "a.py": text }, { path: "a.py", kind: "python_symbol" })
        ).to.deep.equal(["py-0 class A 2-3", "py-1 method A.b 3-3", "py-2 function c 4-4"]);
    });

    it("Each language has its own kinds", async () => {
        const files = {
            "a.cs": "class A {}",
            "a.php": "<?php class A {}",
            "A.java": "class A {}",
            "a.go": "package a\ntype A struct{}",
            "a.rs": "struct A;",
            "a.scss": ".a { .b { c: d } }",
            "a.tsx": "class A {}",
        };
        const kinds = [
            "csharp_symbol",
            "php_symbol",
            "java_symbol",
            "go_symbol",
            "rust_symbol",
            "css_rule",
            "js_ts_symbol",
        ] as const;
        const counts = [];
        for (const [index, path] of Object.keys(files).entries()) {
            counts.push((await blocks(files, { path, kind: kinds[index] })).length);
        }

        expect(counts).to.deep.equal([1, 1, 1, 1, 1, 2, 1]);
    });

    it("The digest of many blocks holds the first 200 and the count", async () => {
        const text = Array.from({ length: 250 }, (_, index) => `def f${index}(): pass`).join("\n");
        const context = await makeToolContext({ files: { "a.py": text } });
        const data = dataOf(await findBlocks.execute({ path: "a.py" }, context));
        expect(data.blocks).to.have.lengthOf(250);
        const digest = findBlocks.digest?.(data, { path: "a.py" });
        expect(digest?.data).to.deep.include({ blocks: data.blocks.slice(0, 200), total: 250 });
    });

    it("find_blocks counts the lines and explains a kind that the language lacks", async () => {
        const context = await makeToolContext({ files: { "a.py": "x = 1\n\n" } });
        const data = dataOf(await findBlocks.execute({ path: "a.py", kind: "css_rule" }, context));
        expect(data).to.include({ totalLines: 2 });
        expect(data.hint).to.include("python");
        expect(context.observations).to.deep.equal([]);
    });
});
