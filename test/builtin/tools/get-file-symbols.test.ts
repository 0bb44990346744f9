import { expect } from "chai";
import { getFileSymbols } from "../../../src/builtin/tools/get-file-symbols.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";

describe("get_file_symbols", () => {
    it("Definitions are listed with line, end, signature and parent", async () => {
        const context = await makeToolContext({
            files: {
                "src/a.py":
                    "@cached\nclass A:\n    @property\n    def b(self) -> int:\n        return 1\n",
            },
        });
        const data = dataOf(await getFileSymbols.execute({ path: "src/a.py" }, context));
        expect(data).to.deep.equal({
            language: "python",
            symbols: [
                { name: "A", type: "class", line: 2, endLine: 5, signature: "class A" },
                {
                    name: "b",
                    type: "method",
                    line: 4,
                    endLine: 5,
                    signature: "def b(self) -> int",
                    parent: "A",
                },
            ],
        });
        expect(getFileSymbols.summary?.(data, { path: "src/a.py" })).to.equal("2 symbols");
        expect(getFileSymbols.intent({ path: "src/a.py" })).to.equal(
            "Extracting symbols from src/a.py"
        );
    });

    it("HTML and style sheets point to find_blocks, but definitions in scripts are listed", async () => {
        const context = await makeToolContext({
            files: { "a.html": "<script>\nfunction go() {}\n</script>", "a.css": ".a { b: c }" },
        });
        const page = dataOf(await getFileSymbols.execute({ path: "a.html" }, context));
        expect(page.symbols.map(({ name, line }) => `${name} ${line}`)).to.deep.equal(["go 2"]);
        expect(page.hint).to.include("find_blocks");
        const styles = dataOf(await getFileSymbols.execute({ path: "a.css" }, context));
        expect(styles.symbols).to.deep.equal([]);
        expect(styles.hint).to.include("find_blocks");
    });

    it("A language without known symbols is reported", async () => {
        const context = await makeToolContext({ files: { "a.txt": "function a() {}" } });
        const data = dataOf(await getFileSymbols.execute({ path: "a.txt" }, context));
        expect(data).to.include({ language: "text" });
        expect(data.hint).to.include("get_file_outline");
    });

    it("At most 1,000 definitions are listed, and all are counted", async () => {
        const text = Array.from({ length: 1_234 }, (_, index) => `def f${index}(): pass`).join(
            "\n"
        );
        const context = await makeToolContext({ files: { "a.py": text } });
        const data = dataOf(await getFileSymbols.execute({ path: "a.py" }, context));
        expect(data.symbols).to.have.lengthOf(1_000);
        expect(data).to.include({ truncated: true, total: 1_234 });
        expect(getFileSymbols.summary?.(data, { path: "a.py" })).to.equal("1,234 symbols");
        const digest = getFileSymbols.digest?.(data, { path: "a.py" });
        expect(digest?.data).to.deep.include({
            symbols: data.symbols.slice(0, 200),
            truncated: true,
            total: 1_234,
        });
        expect(digest?.note).to.equal("At most 200 of 1234 symbols; expand_output has more.");
        const short = { ...data, symbols: data.symbols.slice(0, 200), total: 200 };
        expect(getFileSymbols.digest?.(short, { path: "a.py" })).to.equal(undefined);
    });

    it("CRLF and a byte order mark change neither lines nor definitions", async () => {
        const context = await makeToolContext({
            files: { "a.ts": "\uFEFFclass A {\r\n    b() {\r\n    }\r\n}\r\n" },
        });
        const { symbols } = dataOf(await getFileSymbols.execute({ path: "a.ts" }, context));
        expect(symbols.map(({ name, line, endLine }) => [name, line, endLine])).to.deep.equal([
            ["A", 1, 4],
            ["b", 2, 3],
        ]);
    });

    it("Listing symbols does not count as reading the file", async () => {
        const context = await makeToolContext({ files: { "a.ts": "class A {}" } });
        await getFileSymbols.execute({ path: "a.ts" }, context);
        expect(context.observations).to.deep.equal([]);
    });

    it("A binary or missing file is refused", async () => {
        const context = await makeToolContext({ files: { "a.ts": new Uint8Array([0, 1, 2]) } });
        for (const [path, code] of [
            ["a.ts", "binary-file"],
            ["b.ts", "not-found"],
            ["../b.ts", "outside-repository"],
        ] as const) {
            const error: unknown = await getFileSymbols
                .execute({ path }, context)
                .catch((e: unknown) => e);
            expect(error, path).to.include({ northError: true, code });
        }
    });
});
