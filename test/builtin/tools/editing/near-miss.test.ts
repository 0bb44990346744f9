import { expect } from "chai";
import { encoded } from "../../../../src/builtin/tools/editing/byte-text.js";
import { missFailure } from "../../../../src/builtin/tools/editing/miss-failure.js";
import type { ToolError } from "../../../../src/plugin/index.js";

const FILE = `import a from "a";
\tfunction setUpApp() {
\t\treturn 1;   
\t}
export const x = {
    one: 1,
    two: 2,
    three: 3,
};
class Foo {
    bar() { return "é"; }
    baz() { return 2; }
}
`;

describe("Near misses", () => {
    const miss = (wanted: string, file = FILE): ToolError => {
        const text = { path: "a.ts", body: encoded(file), isChangedSinceRead: false };
        return missFailure(text, wanted, "text").error;
    };
    const messageOf = (wanted: string, file?: string): string => miss(wanted, file).message;

    it("Tabs instead of spaces are reported", () => {
        const error = miss("    function setUpApp() {\n        return 1;");
        expect(error.message).to.include("1 tab in the file, with 4 spaces in your text (line 2)");
        expect(error.candidates).to.deep.equal([
            {
                line: 2,
                column: 1,
                yours: "····function·setUpApp()·{",
                file: "→function·setUpApp()·{",
            },
        ]);
        expect(error.hint).to.include("Read lines 1-13 with read_file");
    });

    it("Another indentation depth is reported at its first line", () => {
        const message = messageOf("export const x = {\n      one: 1,\n    two: 2,");
        expect(message).to.include("4 spaces in the file, with 6 spaces in your text (line 6)");
    });

    it("A uniformly shifted block is reported with its offset", () => {
        expect(messageOf("one: 1,\ntwo: 2,")).to.include("the file has 4 more spaces on each line");
        expect(messageOf("        one: 1,\n        two: 2,")).to.include(
            "the file has 4 fewer spaces on each line"
        );
        expect(messageOf("one: 1,\n    two: 2,\n  three: 3,")).not.to.include("on each line");
        const twice = "  a;\n  b;\n    a;\n    b;\n";
        expect(messageOf("a;\nb;", twice)).not.to.include("on each line");
    });

    it("Typographic quotes, dashes and spaces are reported instead of plain ones", () => {
        const file = 'first\nsay("it’s – no\u00a0more")\n';
        const error = miss('say("it\'s - no more")', file);
        expect(error.message).to.include("where your text has plain ones");
        expect(error.candidates).to.deep.equal([
            { line: 2, preview: 'say("it’s – no\u00a0more")' },
        ]);
        expect(messageOf("return “é”;")).to.include("differ in typographic quotes");
    });

    it("Trailing whitespace on either side is reported", () => {
        const error = miss("\t\treturn 1;\n\t}");
        expect(error.message).to.include("the file has trailing whitespace there (line 3)");
        expect(error.candidates?.[0]).to.include({ file: "→→return·1;···", column: 12 });
        expect(messageOf("    one: 1,  \n    two: 2,")).to.include(
            "your text has trailing whitespace that the file does not have (line 6)"
        );
    });

    it("Trailing whitespace after a whole line is not a line break", () => {
        expect(messageOf("    one: 1,   ")).to.include(
            "your text has trailing whitespace that the file does not have (line 6)"
        );
    });

    it("CRLF sent for a file with LF is reported", () => {
        expect(messageOf("one: 1,\r\n    two: 2,")).to.include("CRLF");
    });

    it("A line break that the file does not have is reported", () => {
        expect(messageOf("one: 1,\n\n    two: 2,")).to.include("line breaks are elsewhere");
    });

    it("Different whitespace within a line is reported", () => {
        const error = miss('bar(){return "é";}');
        expect(error.message).to.include("its whitespace is different in the file (line 11)");
        expect(error.candidates?.[0]).to.include({ column: 6 });
    });

    it("Different case is reported", () => {
        const error = miss("function setupApp() {");
        expect(error.message).to.include("upper and lower case");
        expect(error.candidates?.[0]).to.include({ line: 2, column: 13 });
    });

    it("Line numbers copied from a tool's output are reported", () => {
        for (const numbered of [
            " 5: export const x = {\n>6:     one: 1,",
            "5\texport const x = {\n6\t    one: 1,",
            "5 | export const x = {\n6 |     one: 1,",
        ]) {
            const error = miss(numbered);
            expect(error.message).to.include("begin with line numbers");
            expect(error.candidates).to.deep.equal([{ line: 5, preview: "export const x = {" }]);
        }
    });

    it("Escapes and entities sent instead of characters are reported", () => {
        expect(messageOf("one: 1,\\n    two: 2,")).to.include("escaped twice");
        expect(messageOf('return \\"é\\";')).to.include("escaped twice");
        expect(messageOf("bar() { return &quot;é&quot;; }")).to.include("HTML entities");
    });

    it("Fragments that exist but not together are reported", () => {
        expect(messageOf("    one: 1,\n    three: 3,\n};")).to.include(
            "its line 1 at 6, its lines 2-3 at 8-9; use one edit for each"
        );
    });

    it("The differing line among many equal ones is reported", () => {
        const error = miss("export const x = {\n    one: 1,\n    two: 22,\n    three: 3,\n};");
        expect(error.message).to.include("4 of its 5 lines are at line 5 and below");
        expect(error.candidates).to.deep.equal([
            { line: 7, column: 11, yours: "····two:·22,", file: "····two:·2," },
        ]);
    });

    it("The closest line is measured in characters, not in bytes", () => {
        const error = miss('    bar() { return "éa"; }');
        expect(error.message).to.include("the closest line is line 11");
        expect(error.candidates?.[0]).to.deep.equal({
            line: 11,
            column: 22,
            yours: 'bar()·{·return·"éa";·}',
            file: '…···bar()·{·return·"é";·}',
        });
    });

    it("A miss is reported without similar text, in an empty file and in a non-UTF-8 file", () => {
        expect(messageOf("zzzzzzz qqqq")).to.include("nothing in it is similar");
        expect(miss("zzzzzzz qqqq").hint).to.include("search_text");
        expect(messageOf("x", "")).to.include("the file is empty");
        const latin1 = { path: "a", body: "caf\xe9", isChangedSinceRead: false };
        expect(missFailure(latin1, "café", "anchor").error.message).to.include("not UTF-8");
    });

    it("A miss says when somebody else changed the file", () => {
        const text = { path: "a", body: "b", isChangedSinceRead: true };
        const { message } = missFailure(text, "x", "anchor").error;
        expect(message).to.include("changed outside North since you last read it");
    });

    it("One close line among hundreds of thousands is found, and hostile ones terminate", () => {
        const lines = Array.from(
            { length: 150_000 },
            (_, index) => `    const value${index} = compute(${index}, "some text");`
        );
        expect(
            messageOf('const valeu75000 = compute(75000, "some text");', lines.join("\n"))
        ).to.include("the closest line is line 75001");
        for (const [file, wanted] of [
            [" ".repeat(8e6), "a b c"],
            ["a ".repeat(4e6), `${"a ".repeat(1000)}b`],
            ["a".repeat(8e6), `${"a".repeat(20_000)}b`],
            ["a\n".repeat(4e6), `${"a\n".repeat(1000)}b`],
            ["}\r\n".repeat(2e6), "}\n{\n".repeat(5000)],
        ] as const) {
            expect(messageOf(wanted, file)).to.include("is not in a.ts");
        }
    });
});
