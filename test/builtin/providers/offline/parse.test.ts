import { expect } from "chai";
import fc from "fast-check";
import { commands } from "../../../../src/builtin/providers/offline/grammar.js";
import { parse } from "../../../../src/builtin/providers/offline/parse.js";

/** The calls of a message as `[tool, input]`, other wishes by their kind. */
function read(message: string) {
    return parse(message).map((wish) =>
        wish.kind === "call" ? [wish.command.tool, wish.input] : wish.kind
    );
}

describe("the language of the offline model", () => {
    const understood: readonly (readonly [string, string, object])[] = [
        ["list files", "list_root", {}],
        ["  LS  ", "list_root", {}],
        ["list the files", "list_root", {}],
        ["list files in src/core", "list_folder", { path: "src/core" }],
        ["ls filesystem", "list_folder", { path: "filesystem" }],
        ["find *.ts", "find_files", { pattern: "*.ts" }],
        ['find "my file.*"', "find_files", { pattern: "my file.*" }],
        ["search TODO", "search_text", { query: "TODO" }],
        ["search for TODO in src", "search_text", { query: "TODO", path: "src" }],
        ['grep "in the" in src/', "search_text", { query: "in the", path: "src/" }],
        ["search x in src/a.ts", "search_text", { query: "x", file: "src/a.ts" }],
        ["search x in .github", "search_text", { query: "x", path: ".github" }],
        ["search x in .", "search_text", { query: "x" }],
        ["read README.md", "read_file", { path: "README.md" }],
        ["read a.ts 10-40", "read_file", { path: "a.ts", range: { start: 10, end: 40 } }],
        ["show a.ts lines 3 to 5", "read_file", { path: "a.ts", range: { start: 3, end: 5 } }],
        ["read a.ts 7", "read_file", { path: "a.ts", range: { start: 7, end: 7 } }],
        [
            'replace "a \\"b\\"" with \'c\\n\' in src/a.ts',
            "edit_replace_exact",
            { path: "src/a.ts", old: 'a "b"', new: "c\n" },
        ],
        [
            'replace "one\ntwo" with "" in a',
            "edit_replace_exact",
            { path: "a", old: "one\ntwo", new: "" },
        ],
        ["replace old with new in a", "edit_replace_exact", { path: "a", old: "old", new: "new" }],
        ['create a.txt with "Hi\\n"', "edit_create_file", { path: "a.txt", content: "Hi\n" }],
        ["create a.txt with Hi there", "edit_create_file", { path: "a.txt", content: "Hi there" }],
        [
            "create a.txt with\n  one\n\ntwo: read b\n",
            "edit_create_file",
            { path: "a.txt", content: "  one\n\ntwo: read b\n" },
        ],
        ["run npm test -- --grep 'a b'", "shell_run", { command: "npm test -- --grep 'a b'" }],
        ["$ git status", "shell_run", { command: "git status" }],
        ["languages", "detect_languages", {}],
        ["Hot files", "hotfiles", {}],
        ["hotfiles", "hotfiles", {}],
    ];
    for (const [message, tool, input] of understood) {
        it(`understands ${JSON.stringify(message)}`, () => {
            expect(read(message)).to.deep.equal([[tool, input]]);
        });
    }

    it("understands several commands, one a line", () => {
        const message = 'languages\r\n\nread a.ts\ncreate b with "x"\nrun ls\n';
        expect(read(message).map(([tool]) => tool)).to.deep.equal([
            "detect_languages",
            "read_file",
            "edit_create_file",
            "shell_run",
        ]);
    });

    it("keeps to one line each what it does not understand", () => {
        expect(read("Write me a poem\nlanguages\nhelp\nread")).to.deep.equal([
            "unknown",
            ["detect_languages", {}],
            "help",
            "unknown",
        ]);
    });

    it("understands every form of its help", () => {
        for (const { form, tool } of commands) {
            const example = form.replace(/ \[.*\]$/, "");
            expect(read(example)[0]?.[0], example).to.equal(
                tool === "list_folder" ? "list_root" : tool
            );
        }
    });

    it("reads any text to its end, and never throws", () => {
        const words = fc.constantFrom(
            ...["list", "find", "search", "read", "replace", "create", "run", "with", "in", "to"],
            ...['"', "'", "\\", "\n", "\r\n", " ", "10-40", "a.ts", "$", "?", "\ud83d"]
        );
        const message = fc.oneof(
            fc.string({ unit: "binary" }),
            fc.array(words).map((all) => all.join(" "))
        );
        fc.assert(
            fc.property(message, (text) => {
                const wishes = parse(text);
                expect(wishes.length > 0).to.equal(text.trim() !== "");
            }),
            { numRuns: 300 }
        );
    });

    it("reads a long message without trying it over and over", () => {
        const lines = 'replace "a" with "b" in\n'.repeat(5_000) + '"'.repeat(5_000);
        expect(parse(lines)).to.have.length(5_001);
    });
});
