import { expect } from "chai";
import { readFile } from "../../../src/builtin/tools/read-file.js";
import { isExpectedError } from "../../../src/base/north-error.js";
import { getLineCount } from "../../../src/builtin/tools/get-line-count.js";
import { refusal } from "../../workspace/make-folder.js";
import { pngOf } from "../../helpers/images.js";
import { dataOf, errorOf, makeToolContext } from "../../helpers/tool-context.js";

type ReadFileInput = Parameters<typeof readFile.execute>[0];

const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) => `line ${index + 1}`);

async function read(content: string | Uint8Array, input: Omit<ReadFileInput, "path"> = {}) {
    const context = await makeToolContext({ files: { "a.ts": content } });
    return dataOf(await readFile.execute({ path: "a.ts", ...input }, context));
}

async function failureOf(content: string | Uint8Array, input: Omit<ReadFileInput, "path"> = {}) {
    const error: unknown = await read(content, input).catch((reason: unknown) => reason);
    if (!isExpectedError(error)) throw new Error(`Not an expected failure: ${String(error)}`);
    return error;
}

describe("read_file", () => {
    describe("without a range", () => {
        it("Without a range the whole file is returned", async () => {
            expect(await read("one\ntwo\n")).to.deep.equal({
                path: "a.ts",
                content: "one\ntwo",
                startLine: 1,
                endLine: 2,
                totalLines: 2,
                truncated: false,
            });
        });

        it("A last line without a line break is counted", async () => {
            expect(await read("one\ntwo")).to.include({ content: "one\ntwo", totalLines: 2 });
            expect(await read("one\n\n")).to.include({ content: "one\n", totalLines: 2 });
        });

        it("An empty file has no lines", async () => {
            expect(await read("")).to.include({ content: "", endLine: 0, totalLines: 0 });
        });

        it("A long file is cut after 500 lines, followed by its last twenty", async () => {
            const data = await read(numbered(700).join("\n"));

            expect(data).to.include({
                startLine: 1,
                endLine: 500,
                totalLines: 700,
                truncated: true,
            });
            expect(data.content.endsWith("line 500")).to.equal(true);
            expect(data.tail).to.deep.equal({
                startLine: 681,
                endLine: 700,
                content: numbered(700).slice(680).join("\n"),
            });
            expect(readFile.summary?.(data, { path: "a.ts" })).to.equal("500 lines+");
        });

        it("Reading stops before it exceeds 100 KB", async () => {
            const line = "é".repeat(511) + "x";
            const data = await read(Array.from({ length: 120 }, () => line).join("\n"));

            expect(data).to.include({ endLine: 100, truncated: true });
            expect(Buffer.byteLength(data.content)).to.be.at.most(100 * 1024);
        });

        it("A file of exactly 100 KB is returned uncut", async () => {
            const data = await read("x".repeat(100 * 1024));

            expect(data.truncated).to.equal(false);
            expect(data.content).to.have.length(100 * 1024);
        });

        it("A single line that is too long is cut with a mark", async () => {
            const data = await read(`a${"é".repeat(60_000)}\nnext\n`);

            expect(data).to.include({ endLine: 1, truncated: true });
            expect(data.content).to.match(/^aé+ … \[line cut: 8801 more characters\]$/);
        });
    });

    describe("with a range", () => {
        const ten = numbered(10).join("\n");

        it("A range returns exactly its lines", async () => {
            expect(await read(ten, { range: { start: 3, end: 4 } })).to.include({
                content: "line 3\nline 4",
                startLine: 3,
                endLine: 4,
                totalLines: 10,
                truncated: false,
            });
        });

        it("A range beyond the end stops at the end", async () => {
            expect(await read(ten, { range: { start: 9, end: 99 } })).to.include({
                endLine: 10,
                truncated: false,
            });
        });

        it("A range starting beyond the end is refused with the line count", async () => {
            const error = await failureOf(ten, { range: { start: 11, end: 12 } });

            expect(error.code).to.equal("invalid-range");
            expect(error.message).to.contain("a.ts has 10 lines");
        });

        it("A range that ends before it begins is refused", async () => {
            const error = await failureOf(ten, { range: { start: 5, end: 4 } });

            expect(error.code).to.equal("invalid-range");
        });

        it("The first and last ten lines are added to a range unless it shows them already", async () => {
            const content = numbered(100).join("\n");
            const middle = await read(content, {
                range: { start: 50, end: 51 },
                includeHeadTail: true,
            });
            const top = await read(content, { range: { start: 1, end: 5 }, includeHeadTail: true });
            const overlapping = await read(content, {
                range: { start: 4, end: 95 },
                includeHeadTail: true,
            });

            expect(middle.head).to.include({ startLine: 1, endLine: 10 });
            expect(middle.tail).to.include({ startLine: 91, endLine: 100 });
            expect(top.head).to.equal(undefined);
            expect(overlapping.head).to.include({ startLine: 1, endLine: 3 });
            expect(overlapping.tail).to.include({ startLine: 96, endLine: 100 });
        });

        it("A range within the first or last ten lines leaves out none of them", async () => {
            const content = numbered(100).join("\n");
            for (const range of [
                { start: 5, end: 8 },
                { start: 93, end: 96 },
            ]) {
                const { head, startLine, endLine, tail } = await read(content, {
                    range,
                    includeHeadTail: true,
                });
                const sections = [head, { startLine, endLine }, tail].flatMap((each) => each ?? []);
                const seen = sections.flatMap((each) =>
                    Array.from(
                        { length: each.endLine - each.startLine + 1 },
                        (_, index) => each.startLine + index
                    )
                );
                const ends = Array.from({ length: 10 }, (_, index) => [index + 1, index + 91]);
                expect(seen).to.have.members(ends.flat());
            }
        });
    });

    describe("of any size", () => {
        it("A range of a file of more than 64 MB is read, and its lines are counted", async () => {
            const line = `${"x".repeat(1_023)}\n`;
            const context = await makeToolContext();
            await context.write("huge.txt", line.repeat(70 * 1_024));
            const range = { start: 70_001, end: 70_002 };
            const read = dataOf(await readFile.execute({ path: "huge.txt", range }, context));
            expect(read).to.deep.equal({
                path: "huge.txt",
                content: line + line.trimEnd(),
                startLine: 70_001,
                endLine: 70_002,
                totalLines: 71_680,
                truncated: false,
            });
            const counted = dataOf(await getLineCount.execute({ path: "huge.txt" }, context));
            expect(counted.lineCount).to.equal(71_680);
            expect(await refusal(() => readFile.execute({ path: "huge.txt" }, context))).to.equal(
                "too-large"
            );
        });
    });

    for (const [name, start, mebibytes] of [
        ["An image", "89504e470d0a1a0a", 3.75],
        ["A PDF", "255044462d312e37", 5],
    ] as const) {
        it(`${name} is attached up to ${mebibytes} MB, which every vendor takes`, async () => {
            const context = await makeToolContext();
            const largest = Buffer.alloc(mebibytes * 1024 * 1024);
            largest.write(start, "hex");
            await context.write("largest", largest);
            await context.write("larger", Buffer.concat([largest, Buffer.alloc(1)]));
            const result = await readFile.execute({ path: "largest" }, context);
            expect(result.ok && result.content?.length).to.equal(1);
            const refused = await readFile.execute({ path: "larger" }, context);
            expect(refused).to.have.nested.property("error.code", "too-large");
        });
    }

    it("A screenshot taller than every vendor takes is refused with its size", async () => {
        const context = await makeToolContext();
        await context.write("page.png", pngOf(1_440, 8_570));
        const refused = await readFile.execute({ path: "page.png" }, context);
        expect(refused).to.have.nested.property(
            "error.message",
            "page.png has 1440 × 8570 pixels; the limit is 8000 a side."
        );
    });

    describe("around a match", () => {
        it("The lines around the first match are returned with the number of matches", async () => {
            const data = await read(numbered(100).join("\n"), {
                aroundMatch: "line 5",
                windowLines: 2,
            });

            expect(data).to.include({ startLine: 3, endLine: 7, matchLine: 5, matchCount: 11 });
        });

        it("By default 20 lines on each side of a match are shown", async () => {
            const data = await read(numbered(100).join("\n"), { aroundMatch: "line 50" });

            expect(data).to.include({ startLine: 30, endLine: 70 });
        });

        it("The match is shown however long the lines before it are", async () => {
            const long = "x".repeat(60_000);
            const data = await read(`${long}\n${long}\nNEEDLE\nafter`, { aroundMatch: "NEEDLE" });

            expect(data).to.include({ startLine: 3, content: "NEEDLE\nafter", truncated: true });
        });

        it("A miss says what to do next", async () => {
            const context = await makeToolContext({ files: { "a.ts": "a" } });
            const error = errorOf(
                await readFile.execute({ path: "a.ts", aroundMatch: "b" }, context)
            );

            expect(error.code).to.equal("anchor-not-found");
            expect(context.observations).to.deep.equal([]);
        });

        it("A match and a range exclude each other", async () => {
            const context = await makeToolContext({ files: { "a.ts": "a" } });
            const range = { start: 1, end: 1 };
            const error = errorOf(
                await readFile.execute({ path: "a.ts", aroundMatch: "a", range }, context)
            );

            expect(error.code).to.equal("invalid-input");
        });
    });

    describe("with context", () => {
        const source = [
            "// Licence",
            'import a from "a";',
            "import {",
            "    b,",
            '} from "b";',
            "",
            "/** Says hello. */",
            "export function hello(",
            "    name: string",
            "): string {",
            "    if (name) {",
            "        return name;",
            "    }",
            "    return a;",
            "}",
            "",
            "export const other = 1;",
        ].join("\n");

        it("Imports are added as context", async () => {
            const data = await read(source, {
                range: { start: 12, end: 12 },
                includeContext: "imports",
            });

            expect(data.content).to.equal("        return name;");
            expect(data.imports).to.deep.equal({
                startLine: 2,
                endLine: 5,
                content: 'import a from "a";\nimport {\n    b,\n} from "b";',
            });
        });

        it("Imports that are shown already are not added", async () => {
            const data = await read(source, {
                range: { start: 1, end: 12 },
                includeContext: "imports",
            });

            expect(data.imports).to.equal(undefined);
        });

        it("A range is widened to the whole enclosing function", async () => {
            const data = await read(source, { aroundMatch: "return name", includeContext: "full" });

            expect(data).to.include({ startLine: 7, endLine: 15, matchLine: 12 });
        });

        it("A block that is too long keeps the range and is only located", async () => {
            const body = numbered(600).map((line) => `    ${line};`);
            const long = ["function long() {", ...body, "}"].join("\n");
            const data = await read(long, {
                range: { start: 300, end: 301 },
                includeContext: "full",
            });

            expect(data).to.include({ startLine: 300, endLine: 301 });
            expect(data.note).to.equal("The enclosing block is long: lines 1-602.");
        });
    });

    describe("of unusual bytes", () => {
        it("CRLF is shown as LF, and the byte order mark is hidden", async () => {
            expect(await read("\uFEFFone\r\ntwo\r\n")).to.include({
                content: "one\ntwo",
                totalLines: 2,
            });
        });

        it("Bytes that are not UTF-8 are replaced with a notice", async () => {
            const data = await read(Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));

            expect(data.content).to.equal("caf\uFFFD");
            expect(data.note).to.contain("Not UTF-8");
        });

        it("UTF-16 with a byte order mark is decoded", async () => {
            const data = await read(Buffer.from("\uFEFFone\ntwo\n", "utf16le"));

            expect(data).to.include({ content: "one\ntwo", note: "Read as utf-16le." });
        });

        it("A binary file is refused with its size", async () => {
            const error = await failureOf(Buffer.from([0x7f, 0x45, 0, 1]));

            expect(error.code).to.equal("binary-file");
            expect(error.message).to.contain("4 bytes");
        });
    });

    it("The host learns which version the model has seen", async () => {
        const context = await makeToolContext({ files: { "a.ts": "one\ntwo\n" } });

        await readFile.execute(
            { path: `${context.root}/a.ts`, range: { start: 1, end: 1 } },
            context
        );

        const { hash } = await context.workspace.read("a.ts");
        expect(context.observations).to.deep.equal([{ path: "a.ts", hash }]);
    });

    it("An ignored file and a secret one are read only with the user's consent, a dependency without", async () => {
        const files = {
            ".env": "KEY=1",
            ".gitignore": "local.json",
            "local.json": "{}",
            "node_modules/a.js": "a",
        };
        const refused = await makeToolContext({ files });
        const allowed = await makeToolContext({ files, permit: true });
        const codeOf = async (path: string) => {
            const error: unknown = await readFile
                .execute({ path }, refused)
                .catch((reason: unknown) => reason);
            return isExpectedError(error) ? error.code : error;
        };

        expect(await codeOf("local.json")).to.equal("ignored");
        expect(await codeOf(".env")).to.equal("secret-file");
        expect(refused.observations).to.deep.equal([]);
        const dependency = await readFile.execute({ path: "node_modules/a.js" }, refused);
        expect(dataOf(dependency)).to.include({ content: "a", ignored: true });
        expect(dataOf(await readFile.execute({ path: ".env" }, allowed)).content).to.equal("KEY=1");
        expect(allowed.questions.map(({ key }) => key)).to.deep.equal(["secret:.env"]);
    });

    describe("digested", () => {
        it("The digest holds the first 200 lines, the number left out and the last 20", async () => {
            const data = await read(numbered(401).join("\n"));

            expect(readFile.digest?.(data, { path: "a.ts" })).to.deep.equal({
                data: {
                    path: "a.ts",
                    startLine: 1,
                    endLine: 200,
                    content: numbered(200).join("\n"),
                    totalLines: 401,
                    truncated: true,
                    omittedLines: 181,
                    tail: {
                        startLine: 382,
                        endLine: 401,
                        content: numbered(401).slice(381).join("\n"),
                    },
                },
                note: "Lines 201-381 of 401 left out; ask for a range.",
            });
        });

        it("The digest ends with the end of the file, even when the reading was cut before it", async () => {
            const data = await read(numbered(900).join("\n"));

            const digest = readFile.digest?.(data, { path: "a.ts" });

            expect(digest?.data).to.deep.include({
                omittedLines: 680,
                tail: {
                    startLine: 881,
                    endLine: 900,
                    content: numbered(900).slice(880).join("\n"),
                },
            });
        });

        it("The digest names what it leaves out, with its lines", async () => {
            const body = "    return 1;\n".repeat(98);
            const text = ["one", "two", "three", "four"]
                .map((name) => `function ${name}() {\n${body}}\n`)
                .join("");
            const data = await read(`${text}// The end.\n`);
            const digest = readFile.digest?.(data, { path: "a.ts" });
            expect(digest?.data).to.deep.include({
                names: ["function three 201-300", "function four 301-400"],
            });
        });

        it("Long lines of a digest are cut", async () => {
            const data = await read(`${"x".repeat(17_000)}\nshort`);

            const digest = readFile.digest?.(data, { path: "a.ts" });

            expect(digest?.note).to.equal("Lines cut to 1000 characters.");
            expect(JSON.stringify(digest?.data)).to.have.length.below(1300).and.contain("short");
        });

        it("Short files and requested ranges or matches are not digested", async () => {
            const short = await read(numbered(400).join("\n"));
            const long = await read(numbered(401).join("\n"));

            expect(readFile.digest?.(short, { path: "a.ts" })).to.equal(undefined);
            expect(
                readFile.digest?.(long, { path: "a.ts", range: { start: 1, end: 401 } })
            ).to.equal(undefined);
            expect(readFile.digest?.(long, { path: "a.ts", aroundMatch: "5" })).to.equal(undefined);
        });
    });

    it("Reading the root is refused with an error that names it", async () => {
        const context = await makeToolContext();
        const error: unknown = await readFile
            .execute({ path: "." }, context)
            .catch((reason: unknown) => reason);
        expect(error).to.have.property("message", ". is a folder, not a file.");
    });

    it("The intent line shows the file and its lines", () => {
        const range = { start: 10, end: 60 };
        expect(readFile.intent({ path: "app.ts" })).to.equal("Reading app.ts");
        expect(readFile.intent({ path: "app.ts", range })).to.equal("Reading app.ts 10-60");
        expect(readFile.intent({ path: "app.ts", aroundMatch: "foo" })).to.equal(
            'Reading app.ts at "foo"'
        );
    });
});
