import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { answer, quiet } from "../helpers/answers.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";

const OUTCOMES: Readonly<Record<string, boolean>> = {
    tool_throws: false,
    tool_lies: false,
    tool_lies_about_data: false,
    tool_lies_about_an_error: false,
    tool_lies_about_content: true,
    tool_lies_about_its_lines: false,
    tool_floods: true,
    tool_floods_with_images: true,
    tool_floods_the_screen: true,
    intent_throws: true,
    intent_lies: true,
    summary_throws: true,
    digest_throws: true,
    render_lies: true,
    proposal_lies: false,
    change_lies: false,
    permit_lies: true,
    ask_lies: true,
};
const NOTICES = [
    "The check throws (north-plugin-faulty) failed and was ignored: out of order",
    "The check hangs (north-plugin-faulty) failed and was ignored: Time limit reached.",
    "north-plugin-faulty: the context source throws failed: out of order.",
    "north-plugin-faulty: the context source hangs failed: it did not answer in 5 s and is not asked again.",
    "north-plugin-faulty: the context source lies failed: it did not return a list.",
    "north-plugin-faulty: the context source lies failed: a part needs kind, id and text.",
    "north-plugin-faulty: the context source floods failed: it returned more than 64 KB or 50 parts, which were cut.",
];

describe("A plugin that breaks the contract", () => {
    let place: ClaudeWorkplace;
    let env: Record<string, string>;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "README.md": "Hello\n" });
        env = { NORTH_DATA_DIR: place.data };
        link("faulty");
    });
    afterEach(() => place.remove());

    function link(name: string): void {
        const root = path.resolve("test/fixtures/plugins", name);
        const plugins = [{ name: `north-plugin-${name}`, root, type: "link" }];
        const content = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
        fs.mkdirSync(place.data, { recursive: true });
        fs.writeFileSync(path.join(place.data, "package.json"), JSON.stringify(content));
    }

    it("A plugin whose tools, context, checks and observers throw, hang, lie and flood costs a line each", async () => {
        const calls = Object.keys(OUTCOMES).map((name) => toolUse(`toolu_${name}`, name, {}));
        await place.serve([...calls.map((call) => reply(call)), reply(text("Done."))]);
        const args = ["-p", "Go.", "--output-format", "stream-json", "--accept-edits"];
        const end = await place.run(args, { env });
        const events = end.stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line));
        const told = (type: string) => events.filter((event) => event.type === type);
        const ended = told("tool-call-finished").map(({ name, ok }) => [name, ok]);
        expect(Object.fromEntries(ended)).to.deep.equal(OUTCOMES);
        expect(told("notice").map((notice) => notice.text)).to.have.members(NOTICES);
        expect(events.at(-1)).to.deep.include({ result: "Done.", isError: false });
        expect(end.code).to.equal(0);
        place.server.assertDone();
        expect(Math.max(...place.server.requests.map(({ raw }) => raw.length))).to.be.below(1e6);
    });

    it("What a plugin prints goes to stderr, and stdout holds the answer alone", async () => {
        link("prints");
        for (const format of ["text", "json", "stream-json"]) {
            await place.serve([reply(toolUse("toolu_1", "tool_prints", {})), reply(text("Done."))]);
            const end = await place.run(["-p", "Go.", "--output-format", format], { env });
            expect(end.code).to.equal(0);
            for (const source of ["at import", "by the hook", "by the tool", "by the observer"]) {
                expect(end.stderr, format).to.contain(`printed ${source}`);
            }
            if (format === "text") expect(end.stdout).to.equal("Done.\n");
            else for (const line of end.stdout.trim().split("\n")) JSON.parse(line);
        }
    });

    it("What a plugin prints in the chat goes to the log, not into the screen", async () => {
        link("prints");
        await place.serve([reply(toolUse("toolu_1", "tool_prints", {})), reply(text("Done."))]);
        const terminal = await place.chat([], { env });
        terminal.type("Go\r");
        await terminal.waitFor("Done.");
        await terminal.waitFor(/❯ *$/);
        terminal.type("/quit\r");
        await terminal.exit();
        expect(terminal.transcript()).to.not.contain("printed");
        const log = path.join(place.home, ".local/state/north/north.log");
        const logged = fs.readFileSync(log, "utf8");
        for (const source of ["at import", "by the hook", "by the tool", "by the observer"]) {
            expect(logged).to.contain(`printed ${source}`);
        }
    });

    it("A tool that ends the process is not a success, and North says so in every format", async () => {
        link("prints");
        for (const format of ["text", "json"]) {
            await place.serve([reply(toolUse("toolu_1", "tool_exits", {}))]);
            const end = await place.run(["-p", "Go.", "--output-format", format], { env });
            expect(end.code, format).to.equal(1);
            const told = format === "text" ? end.stderr : JSON.parse(end.stdout).error.message;
            expect(told).to.contain("A plugin ended North before it answered.");
        }
    });

    it("Slash commands, questions and a tool that hangs leave the chat as it was", async () => {
        await place.serve([
            reply(toolUse("toolu_1", "ask_lies", {}), toolUse("toolu_2", "permit_lies", {})),
            reply(toolUse("toolu_3", "tool_hangs", {})),
            reply(text("Good.")),
        ]);
        const terminal = await place.chat([], { env });
        const send = async (line: string, expected: string | RegExp) => {
            terminal.type(`${line}\r`);
            await terminal.waitFor(expected);
            await terminal.waitFor(/❯ *$/);
        };
        for (const [line, expected] of [
            ["/fails", "out of order"],
            ["/rejects", "out of order"],
            ["/returns", "/returns"],
            ["/floods", "xxxx"],
            ["/prints-a-number", "text.replace is not a function"],
            ["/sends-a-number", "/sends-a-number"],
            ["/picks-a-number", "/picks-a-number"],
        ] as const) {
            await send(line, expected);
        }
        terminal.type("/fails \t");
        await quiet(terminal);
        terminal.press("ctrl-c");
        terminal.type("Go on\r");
        await terminal.waitFor("5");
        await answer(terminal, "yes");
        await terminal.waitFor("tool_hangs");
        terminal.press("escape");
        await terminal.waitForNo("Esc cancels");
        await send("And now?", "Good.");
        // The line is empty before the turn has ended; a command waits for its end, Ctrl+D asks again.
        terminal.type("/quit\r");
        await terminal.exit();
        place.server.assertDone();
    });
});
