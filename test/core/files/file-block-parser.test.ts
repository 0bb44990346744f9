import { expect } from "chai";
import fc from "fast-check";
import {
    FileBlockParser,
    type FileBlockEvent,
    textWithoutFiles,
} from "../../../src/core/files/file-block-parser.js";
import { fenceAtEnd } from "../../../src/core/files/fence.js";

/** What the parser says of a text that comes in these pieces, neighbouring texts joined. */
function parse(pieces: readonly string[]): FileBlockEvent[] {
    const parser = new FileBlockParser();
    const events = [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()];
    return events.reduce<FileBlockEvent[]>((joined, event) => {
        const last = joined.at(-1);
        if ("text" in event && last?.type === event.type && "text" in last) {
            return [...joined.slice(0, -1), { ...event, text: last.text + event.text }];
        }

        return [...joined, event];
    }, []);
}

/** The same in short: what is shown, and the files. */
function read(text: string) {
    const files: { path: string; mode: string; content: string; isClosed: boolean }[] = [];
    let shown = "";
    for (const event of parse([text])) {
        const file = files.at(-1);
        if (event.type === "text") {
            shown += event.text;
        } else if (event.type === "file-opened") {
            files.push({ path: event.path, mode: event.mode, content: "", isClosed: false });
        } else if (event.type === "file-content") {
            file!.content += event.text;
        } else {
            file!.isClosed = true;
        }
    }
    return { shown, files };
}

const open = '<NORTH_FILE path="a/b.ts">';
const close = "</NORTH_FILE>";
const fence = "```";

const TEXTS: readonly string[] = [
    `Before.\n${open}\none\n\ntwo\n${close}\nAfter.`,
    `${open}\r\none\r\n${close}\r\nAfter.\r\n`,
    `${open}\none\n${close}`,
    `${open}`,
    `${open}\nhalf a li`,
    `${open}\none\n</NORTH_FI`,
    `${open}\n${close}\n${open.replace("b.ts", "c.ts")}\n<b>\n</b>\n${close}  \n`,
    `  ${open}\nx\n  ${close}\ny\n${close}\n`,
    `\`\`\`\`md\n${open}\n${fence}\n${close}\n\`\`\`\`\n${open}\nreal\n${close}\n`,
    `~~~\n${open}\n${fence}\n${close}\n~~~ \n`,
    `${open}\n${fence}\n${close}\n${fence}\n${close}\ntext`,
    `${open}\nconst a = \`\n${fence}\n\`;\n${close}\n\n  \n`,
    `${open}\n${fence}\n${close}\n\n${close}\nmore\n`,
    `<NORTH_FILE path='a'>\n<NORTH_FILE path=a>\n<NORTH_FILE>\n< NORTH_FILE path="a">\n`,
    `Say ${open} here\n${open} and there\n${close}\n</NORTH_FILE >\n`,
    `<NORTH_FILE path="a" mode="append" >\nx\n${close}`,
    `<NORTH_FILE path="${"x".repeat(5_000)}">\n`,
    `emoji 👋🏽\n${open}\n👋🏽\n${close}\n`,
];

describe("FileBlockParser", () => {
    it("A file is separated from the text around it", () => {
        expect(read(`Before.\n${open}\none\n\n  two\n${close}\nAfter.`)).to.deep.equal({
            shown: "Before.\nAfter.",
            files: [{ path: "a/b.ts", mode: "create", content: "one\n\n  two\n", isClosed: true }],
        });
    });

    it("Several files are parsed, with empty ones and the mode of a continued one", () => {
        const text = `${open}\n${close}\n<NORTH_FILE mode="append" path="c d.ts">\nx\n${close}\n`;
        expect(read(text).files).to.deep.equal([
            { path: "a/b.ts", mode: "create", content: "", isClosed: true },
            { path: "c d.ts", mode: "append", content: "x\n", isClosed: true },
        ]);
    });

    it("Tags are recognized at the very end and with CRLF", () => {
        expect(read(`${open}\r\none\r\n${close}`)).to.deep.equal({
            shown: "",
            files: [{ path: "a/b.ts", mode: "create", content: "one\r\n", isClosed: true }],
        });
        expect(read(`${open}`).files).to.deep.include.members([
            { path: "a/b.ts", mode: "create", content: "", isClosed: false },
        ]);
    });

    it("A truncated file keeps its content without any piece of a tag", () => {
        expect(read(`${open}\none\nhalf a li`).files[0]).to.deep.include({
            content: "one\nhalf a li",
            isClosed: false,
        });
        expect(read(`${open}\none\n</NORTH_FI`).files[0]).to.deep.include({
            content: "one\n",
            isClosed: false,
        });
    });

    for (const [what, line] of [
        ["an unknown attribute", '<NORTH_FILE path="a" encoding="x">'],
        ["an unknown mode", '<NORTH_FILE path="a" mode="replace">'],
        ["no path", "<NORTH_FILE>"],
        ["an empty path", '<NORTH_FILE path="">'],
        ["the path twice", '<NORTH_FILE path="a" path="b">'],
        ["single quotes", "<NORTH_FILE path='a'>"],
        ["no quotes", "<NORTH_FILE path=a>"],
        ["no space between attributes", '<NORTH_FILE path="a"mode="append">'],
        ["another name", '<NORTH_FILES path="a">'],
        ["text before it", `See ${open}`],
        ["text behind it", `${open} like this`],
        ["the indentation of code", `    ${open}`],
    ] as const) {
        it(`A tag with ${what} stays text`, () => {
            const text = `${line}\none\n${close}\n`;
            expect(read(text)).to.deep.equal({ shown: text, files: [] });
        });
    }

    it("Tags in code fences stay text, whatever the fence is made of", () => {
        for (const [begin, end] of [
            ["```", "```"],
            ["```xml", "````"],
            ["~~~~ ```", "~~~~~"],
            ["````\n```", "````"],
            ["  ```", " ```"],
        ]) {
            const text = `${begin}\n${open}\none\n${close}\n${end}\n`;
            expect(read(text)).to.deep.equal({ shown: text, files: [] });
            expect(read(`${text}${open}\nreal\n${close}\n`).files).to.have.length(1);
        }
    });

    it("Inline code opens no fence", () => {
        expect(read(`\`\`\`x\`\`\`\n${open}\none\n${close}\n`).files).to.have.length(1);
    });

    it("A near miss of the closing tag stays in the file", () => {
        const content = [
            `const tag = "${close}";`,
            `    ${close}`,
            `${close};`,
            open,
            "```html",
            close,
            "```",
            "",
        ].join("\n");
        expect(read(`${open}\n${content}${close}\nAfter.`)).to.deep.equal({
            shown: "After.",
            files: [{ path: "a/b.ts", mode: "create", content, isClosed: true }],
        });
    });

    it("A file ends at its last tag when a fence in it is never closed", () => {
        const content = "const fence = `\n```\n`;\n";
        expect(read(`${open}\n${content}${close}\n\n`)).to.deep.equal({
            shown: "",
            files: [{ path: "a/b.ts", mode: "create", content, isClosed: true }],
        });
    });

    it("A row of tildes before a line separator is read in linear time", () => {
        expect(fenceAtEnd(`${"~".repeat(300_000)}\u2028\n`)?.length).to.equal(300_000);
    });

    it("A continued file starts inside the fence that was open at the cut", () => {
        const parser = new FileBlockParser(() => fenceAtEnd("# Title\n```\ncode\n"));
        const text = `<NORTH_FILE path="a.md" mode="append">\n${close}\n\`\`\`\n${close}\nAfter.`;
        expect([...parser.push(text), ...parser.end()]).to.deep.equal([
            { type: "file-opened", path: "a.md", mode: "append" },
            { type: "file-content", text: `${close}\n\`\`\`\n` },
            { type: "file-closed" },
            { type: "text", text: "After." },
        ]);
    });

    it("Outside of files the end of a block ends a line, inside it does not", () => {
        const parser = new FileBlockParser();
        const events = [
            ...parser.push(`Text${open}`),
            ...parser.endBlock(),
            ...parser.push(`${open}\nhalf `),
            ...parser.endBlock(),
            ...parser.push(`whole\n${close}`),
            ...parser.endBlock(),
            ...parser.push("After."),
            ...parser.end(),
        ];
        expect(events).to.deep.equal([
            { type: "text", text: `Text${open}` },
            { type: "file-opened", path: "a/b.ts", mode: "create" },
            { type: "file-content", text: "half " },
            { type: "file-content", text: "whole\n" },
            { type: "file-closed" },
            { type: "text", text: "After." },
        ]);
    });

    it("A stored reply is displayed as it was when it streamed", () => {
        expect(textWithoutFiles(`Before.\n${open}\none\n${close}\nAfter.`)).to.equal(
            "Before.\n[file a/b.ts]\nAfter."
        );
    });

    it("Only a possible start of a tag is held back", () => {
        const parser = new FileBlockParser();
        expect(parser.push("Hello <b")).to.deep.equal([{ type: "text", text: "Hello <b" }]);
        expect(parser.push("\n<NORTH")).to.deep.equal([{ type: "text", text: "\n" }]);
        expect(parser.push("ERN")).to.deep.equal([{ type: "text", text: "<NORTHERN" }]);
    });

    it("Any split into two chunks gives the same result", () => {
        for (const text of TEXTS) {
            const whole = parse([text]);
            for (let at = 0; at <= text.length; at += 1) {
                const cut = parse([text.slice(0, at), text.slice(at)]);
                expect(cut, JSON.stringify([text, at])).to.deep.equal(whole);
            }
        }
    });

    it("Any text split anywhere gives the same result and loses nothing but tags", () => {
        const line = fc.constantFrom(
            ...[open, close, `${close} `, ` ${open}`, ` ${close}`, `${open}x`, "<NORTH_FILE", "<"],
            ...["```", "````", "~~~", "```ts", "", " ", "   ", "text", "</", "😀", "\r", "`"]
        );
        const ending = fc.constantFrom("\n", "\n", "\n", "\r\n", "");
        const texts = fc
            .array(fc.tuple(line, ending), { maxLength: 14 })
            .map((lines) => lines.flat().join(""));
        const cuts = fc.array(fc.nat(), { maxLength: 20 });
        fc.assert(
            fc.property(texts, cuts, (text, positions) => {
                const whole = parse([text]);
                expect(parse(cutAt(text, positions))).to.deep.equal(whole);
                expect(parse([...text.split("")])).to.deep.equal(whole);
                const kept = whole.flatMap((event) => ("text" in event ? event.text : [])).join("");
                expect(isSubsequence(kept, text)).to.equal(true);
                if (!whole.some(({ type }) => type !== "text")) expect(kept).to.equal(text);
            }),
            { numRuns: 1_000 }
        );
    });
});

function cutAt(text: string, positions: readonly number[]): string[] {
    const ends = [...positions.map((at) => at % (text.length + 1)), text.length];
    ends.sort((one, other) => one - other);
    return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

function isSubsequence(part: string, whole: string): boolean {
    let at = 0;
    for (const character of whole.split("")) if (character === part[at]) at += 1;
    return at === part.length;
}
