import { expect } from "chai";
import { findCodeBlock } from "../../../src/builtin/tools/find-code-block.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";

type FindCodeBlockInput = Parameters<typeof findCodeBlock.execute>[0];

const service = [
    "// needle above",
    "export class Service {",
    "    limit = 'needle';",
    "    run() {",
    "        const inner = () => {",
    "            return 'needle';",
    "        };",
    "        return 'needle';",
    "    }",
    "    stop() {",
    "        if (this.limit) {",
    "            return 'needle needle';",
    "        }",
    "    }",
    "}",
    "function other() {}",
].join("\n");

async function find(text: string, input: FindCodeBlockInput) {
    const context = await makeToolContext({ files: { [input.path]: text } });
    return dataOf(await findCodeBlock.execute(input, context));
}

function short(data: Awaited<ReturnType<typeof find>>): string[] {
    return data.matches.map(
        ({ kind, name, startLine, endLine }) => `${kind} ${name} ${startLine}-${endLine}`
    );
}

describe("find_code_block", () => {
    it("The innermost block of each match is found once, inner ones first", async () => {
        const data = await find(service, { path: "a.ts", query: "needle" });
        expect(short(data)).to.deep.equal([
            "function inner 5-7",
            "method run 4-9",
            "method stop 10-14",
            "class Service 2-15",
        ]);
        expect(data).to.include({ totalMatches: 4 });
        expect(data.hint).to.equal(undefined);
    });

    it("Blocks around the only block with the text are left out", async () => {
        expect(short(await find(service, { path: "a.ts", query: "this.limit" }))).to.deep.equal([
            "method stop 10-14",
        ]);
    });

    it("The innermost block of the requested kind is found", async () => {
        const classes = await find(service, { path: "a.ts", query: "this.limit", kind: "class" });
        expect(short(classes)).to.deep.equal(["class Service 2-15"]);
        const functions = await find(service, { path: "a.ts", query: "needle", kind: "function" });
        expect(short(functions)).to.deep.equal(["function inner 5-7"]);
    });

    it("The first five lines of a block are shown unchanged", async () => {
        const { matches } = await find(service, {
            path: "a.ts",
            query: "return 'needle'",
            kind: "method",
        });
        expect(matches[0]?.snippet).to.equal(service.split("\n").slice(3, 8).join("\n"));
        expect(
            (await find(service, { path: "a.ts", query: "other" })).matches[0]?.snippet
        ).to.equal("function other() {}");
    });

    it("Text over several lines is found with any line endings", async () => {
        const text = service.replaceAll("\n", "\r\n");
        const query = "this.limit) {\r\n            return";
        expect(short(await find(text, { path: "a.ts", query }))).to.deep.equal([
            "method stop 10-14",
        ]);
        expect(
            short(await find(text, { path: "a.ts", query: query.replace("\r", "") }))
        ).to.deep.equal(["method stop 10-14"]);
    });

    it("Text outside any block is distinguished from missing text", async () => {
        const outside = await find(service, { path: "a.ts", query: "needle above" });
        expect(outside.matches).to.deep.equal([]);
        expect(outside.hint).to.include("occurs 1 time").and.include("no block");
        const absent = await find(service, { path: "a.ts", query: "nowhere" });
        expect(absent.hint).to.include("not in this file");
        const kind = await find("def needle(): pass", {
            path: "a.py",
            query: "needle",
            kind: "class",
        });
        expect(kind.hint).to.include("no class");
    });

    it("Text outside the blocks of pages and style sheets points to find_blocks", async () => {
        const page = await find("<p>needle</p>", { path: "a.html", query: "needle" });
        expect(page.hint).to.include("find_blocks");
        const styles = await find("/* needle */ .a { b: c }", { path: "a.css", query: "needle" });
        expect(short(styles)).to.deep.equal(["block .a 1-1"]);
    });

    it("In a page rules and functions are found, not the elements around them", async () => {
        const text = [
            "<body><main>",
            "<style>",
            "@media print {",
            "    .card { color: red }",
            "}",
            "</style>",
            "<script>",
            "function go() {",
            "    return red;",
            "}",
            "</script>",
            "</main></body>",
        ].join("\n");
        expect(short(await find(text, { path: "a.html", query: "red" }))).to.deep.equal([
            "block .card 4-4",
            "function go 8-10",
        ]);
    });

    it("Cases of a test file are found", async () => {
        const text =
            'describe("a", () => {\n    it("b", () => {\n        expect(1);\n    });\n});\n';
        expect(short(await find(text, { path: "a.test.js", query: "expect" }))).to.deep.equal([
            'block it("b", () => 2-4',
        ]);
    });

    it("Braces delimit blocks in unknown languages", async () => {
        const text = [
            "class Shop(val name: String) {",
            "    // not } a brace",
            "    fun open(): String {",
            '        return "{$name}"',
            "    }",
            "}",
        ].join("\n");
        expect(short(await find(text, { path: "a.kt", query: "$name" }))).to.deep.equal([
            "block fun open(): String 3-5",
        ]);
    });

    it("A file counts as read only when its lines are shown", async () => {
        const context = await makeToolContext({ files: { "a.ts": service } });
        await findCodeBlock.execute({ path: "a.ts", query: "nowhere" }, context);
        expect(context.observations).to.deep.equal([]);
        await findCodeBlock.execute({ path: "a.ts", query: "other" }, context);
        expect(context.observations.map(({ path }) => path)).to.deep.equal(["a.ts"]);
    });

    it("At most 50 blocks are listed, and all are counted", async () => {
        const text = Array.from({ length: 60 }, (_, index) => `def f${index}(): needle()`).join(
            "\n"
        );
        const data = await find(text, { path: "a.py", query: "needle" });
        expect(data.matches).to.have.lengthOf(50);
        expect(data).to.include({ totalMatches: 60, truncated: true });
        expect(findCodeBlock.summary?.(data, { path: "a.py", query: "needle" })).to.equal(
            "60 blocks"
        );
        expect(findCodeBlock.intent({ path: "a.py", query: "needle" })).to.equal(
            'Finding the block of "needle" in a.py'
        );
    });
});
