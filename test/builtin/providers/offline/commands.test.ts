import { expect } from "chai";
import fc from "fast-check";
import { commands, parse } from "../../../../src/builtin/providers/offline/commands.js";

describe("The language of the offline stand-in", () => {
    for (const [line, name, input] of [
        ["list files", "list_root", {}],
        ["LS", "list_root", {}],
        ["list files in src/core", "list_folder", { path: "src/core" }],
        ["find *.ts", "find_files", { pattern: "*.ts" }],
        ['find "my file.*"', "find_files", { pattern: "my file.*" }],
        ["search  TODO", "search_text", { query: "TODO" }],
        ["search 'a  b' in src/", "search_text", { query: "a  b", path: "src/" }],
        ["search x in src/a.ts", "search_text", { query: "x", file: "src/a.ts" }],
        ["search x in .github", "search_text", { query: "x", path: ".github" }],
        ["read README.md", "read_file", { path: "README.md" }],
        ["read a.ts 10-40", "read_file", { path: "a.ts", range: { start: 10, end: 40 } }],
        ["read a.ts 7", "read_file", { path: "a.ts", range: { start: 7, end: 7 } }],
        [
            'replace "a \\"b\\"" with \'c\\n\' in src/a.ts',
            "edit_replace_exact",
            { path: "src/a.ts", old: 'a "b"', new: "c\n" },
        ],
        ["replace old with new in a", "edit_replace_exact", { path: "a", old: "old", new: "new" }],
        ['create a.txt with "Hi\\n"', "edit_create_file", { path: "a.txt", content: "Hi\n" }],
        ['call count_words {"path": "a  b"}', "count_words", { path: "a  b" }],
        ["call todo_write", "todo_write", {}],
        ["run npm test -- --grep 'a  b'", "shell_run", { command: "npm test -- --grep 'a  b'" }],
    ] as const) {
        it(`The line ${JSON.stringify(line)} calls ${name}`, () => {
            const found = parse(line);
            expect(found?.call).to.deep.equal({ name, input });
        });
    }

    it("A line that is no command is not understood", () => {
        for (const line of ["Write me a poem", "read", "read a b", "create a with", ""]) {
            expect(parse(line), line).to.equal(undefined);
        }
    });

    it("Every form of the help is understood", () => {
        for (const command of commands) {
            const { form } = command;
            for (const example of [form.replace(/ \[.*\]$/, ""), form.replace(/[[\]]/g, "")]) {
                expect(parse(example)?.command, example).to.equal(command);
            }
        }
    });

    it("No line makes the parser throw or hang", () => {
        const words = fc.constantFrom(
            ...["list", "find", "search", "read", "replace", "create", "run", "with", "in"],
            ...[
                '"',
                "'",
                "\\",
                " ",
                "10-40",
                "a.ts",
                "\ud83d",
                '"'.repeat(5_000),
                " ".repeat(5_000),
            ]
        );
        const line = fc.oneof(
            fc.string({ unit: "binary" }),
            fc.array(words).map((all) => all.join(" "))
        );
        fc.assert(
            fc.property(line, (text) => void parse(text)),
            { numRuns: 300 }
        );
    });
});
