import { expect } from "chai";
import fc from "fast-check";

import { parseSlashLine } from "../../src/core/slash-line.js";

const COMMANDS = [
    ...["model", "mode", "allowlist"].map((name) => ({ name, usage: `/${name} [NAME]` })),
    ...["help", "new"].map((name) => ({ name, usage: `/${name}` })),
];
const parse = (input: string) => parseSlashLine(input, COMMANDS);

describe("parseSlashLine", () => {
    it("Text without commands is one message", () => {
        const message = "look at src/app.ts and /usr/bin, 50 km/h";
        expect(parse(message)).to.deep.equal({ invocations: [], message, unknown: [] });
    });

    it("A command is split into its name and arguments", () => {
        expect(parse("/model  sonnet ")).to.deep.include({
            invocations: [{ name: "model", argumentsText: "sonnet" }],
            message: "",
        });
    });

    it("One line may hold several commands", () => {
        expect(parse("/model sonnet /mode ask").invocations).to.deep.equal([
            { name: "model", argumentsText: "sonnet" },
            { name: "mode", argumentsText: "ask" },
        ]);
    });

    it("Arguments end with the line, and the rest is the message", () => {
        expect(parse("first\n/mode ask\nthen do it")).to.deep.equal({
            invocations: [{ name: "mode", argumentsText: "ask" }],
            message: "first\n\nthen do it",
            unknown: [],
        });
    });

    it("A slash inside quotes belongs to the arguments", () => {
        expect(parse('/allowlist remove "npm /help run"').invocations).to.deep.equal([
            { name: "allowlist", argumentsText: 'remove "npm /help run"' },
        ]);
    });

    it("A command that takes one word leaves the rest of its line to the message", () => {
        const commands = [
            { name: "mode", usage: "/mode [ask|agent]", takesOneWord: true },
            { name: "thinking", usage: "/thinking [on|off]", takesOneWord: true },
        ] as const;
        const parsed = (input: string) => parseSlashLine(input, commands);
        expect(parsed("please /mode ask explain it")).to.deep.equal({
            invocations: [{ name: "mode", argumentsText: "ask" }],
            message: "please  explain it",
            unknown: [],
        });
        expect(parsed("/mode agent /thinking on tell me\nmore")).to.deep.equal({
            invocations: [
                { name: "mode", argumentsText: "agent" },
                { name: "thinking", argumentsText: "on" },
            ],
            message: "tell me\nmore",
            unknown: [],
        });
        expect(parsed("/mode\nask")).to.deep.equal({
            invocations: [{ name: "mode", argumentsText: "" }],
            message: "ask",
            unknown: [],
        });
    });

    it("An apostrophe is not a quote", () => {
        expect(parse("it's /model don't").invocations).to.deep.equal([
            { name: "model", argumentsText: "don't" },
        ]);
    });

    it("Text after a command without arguments is the message", () => {
        expect(parse("/new why does it fail?")).to.deep.equal({
            invocations: [{ name: "new", argumentsText: "" }],
            message: "why does it fail?",
            unknown: [],
        });
        expect(parse("/help /mode ask\nand now?")).to.deep.include({
            invocations: [
                { name: "help", argumentsText: "" },
                { name: "mode", argumentsText: "ask" },
            ],
            message: "and now?",
        });
    });

    it("A name may hold dots, but an unknown one with a dot is taken for a file", () => {
        const known = { name: "speckit.plan", usage: "/speckit.plan [arguments]" };
        expect(parseSlashLine("/speckit.plan a clock", [known])).to.deep.equal({
            invocations: [{ name: "speckit.plan", argumentsText: "a clock" }],
            ...{ message: "", unknown: [] },
        });
        const message = "/notes.txt is old";
        expect(parseSlashLine(message, [known])).to.deep.equal({
            ...{ invocations: [], message, unknown: [] },
        });
    });

    it("An unknown command stays in the message and is reported", () => {
        expect(parse("/hlep me")).to.deep.equal({
            invocations: [],
            message: "/hlep me",
            unknown: ["hlep"],
        });
        expect(parse("what is /foo").unknown).to.deep.equal([]);
    });

    it("A command needs whitespace before its slash and after its name", () => {
        for (const text of ["a/help", "/help/me", "http://help", "/helpme", "../chat/help"]) {
            expect(parse(text).invocations, text).to.deep.equal([]);
        }
    });

    it("Parsing loses no words", () => {
        const word = fc.constantFrom("/help", "/mode", "/foo", "a", "\n", '"', "'", "b c");
        fc.assert(
            fc.property(fc.array(word), (words) => {
                const input = words.join(" ");
                const { invocations, message } = parse(input);
                const parts = invocations.map(
                    ({ name, argumentsText }) => `/${name}${argumentsText}`
                );
                const letters = (text: string) => [...text.replace(/\s/g, "")].sort().join("");
                expect(letters(parts.join("") + message)).to.equal(letters(input));
            })
        );
    });
});
