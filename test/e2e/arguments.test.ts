import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { northCommand } from "../../src/base/north-command.js";
import { reply, startMessagesServer, text } from "../helpers/vendors/messages-server.js";
import { PROGRAM, Workplace } from "../helpers/north-program.js";
import { openTerminal } from "../helpers/pseudo-terminal.js";
import { textsIn } from "./requests.js";

describe("Arguments of `north`", () => {
    let place: Workplace;

    beforeEach(() => {
        place = new Workplace().reusingProcess();
    });
    afterEach(() => place.remove());

    it("Without a terminal North points to print mode", async () => {
        for (const args of [[], ["chat"], ["explain this to me"]]) {
            const end = await place.run(args);
            expect([args, end.code, end.stdout]).to.deep.equal([args, 2, ""]);
            expect(end.stderr).to.match(/^The chat needs a terminal\.\n.*`north -p /);
        }
    });

    it("An empty argument, as of an unset variable, is wrong usage", async () => {
        for (const words of ["undo", "attest", "search", "allowlist try", "trust allow"]) {
            const end = await place.run([...words.split(" "), ""]);
            expect([words, end.code, end.stdout]).to.deep.equal([words, 2, ""]);
            expect(end.stderr).to.contain("Expected a value, but received an empty string.");
        }
        const race = await place.run(["race", " ", "--until", "true"]);
        expect(race.code).to.equal(2);
        const install = await place.run(["plugins", "install", ""]);
        expect(install.code, "npm is not asked").to.equal(2);
    });

    it("A wrong number and an empty command are wrong usage", async () => {
        for (const [args, said] of [
            [["drop", "3fa2c1", "0"], "Expected a turn number from 1 up, but received: 0."],
            [["drop", "3fa2c1", "two"], "Expected a turn number from 1 up, but received: two."],
            [["undo", "--turns", "0"], "--turns"],
            [["bisect", "--run", "true", "--timeout", "0"], "--timeout"],
            [["bisect", "--run", ""], "--run: Expected a value, but received an empty string."],
            [["-p", "Go", "--until", " "], "--until: Expected a value, but received"],
            [["-p", "Go", "--once", ""], "--once: Expected a value, but received"],
            [["-p", "Go", "--path", ""], "--path: Expected a value, but received"],
            [["-p", "Go", "--mode", "draft", "--patch", ""], "--patch: Expected a value"],
            [["undo", "--path", " "], "--path: Expected a value, but received"],
        ] as const) {
            const end = await place.run(args);
            expect([args, end.code, end.stdout]).to.deep.equal([args, 2, ""]);
            expect(end.stderr).to.contain(said).and.not.to.contain("bug");
        }
    });

    it("The usage of a command has no empty place and names its values", async () => {
        for (const command of ["chat", "resume", "learn", "search"]) {
            const { stdout } = await place.run([command, "--help"]);
            const usage = /^USAGE\n((?:.+\n)+)/m.exec(stdout)?.[1];
            expect(usage)
                .to.contain(`$ north ${command} `)
                .and.not.to.match(/[[|]\s+[|\]]| \]|<value>/);
        }
    });

    it("Closing the pipe of a help text is not a failure", () => {
        for (const words of ["--help", "help chat", "chat --help"]) {
            const line = `"${process.execPath}" "${PROGRAM}" ${words} | true; echo "$PIPESTATUS"`;
            const { stdout, stderr } = spawnSync("bash", ["-c", line], {
                encoding: "utf8",
                env: { ...process.env, HOME: place.home },
            });
            expect({ words, stdout, stderr }).to.deep.equal({ words, stdout: "0\n", stderr: "" });
        }
    });

    it("A leading flag, or a first argument with a space, goes to the chat", async () => {
        const server = await startMessagesServer({ script: () => reply(text("ok")) });
        const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
        const ways = [
            ["what is this?", "-p"],
            ["-p", "what is this?"],
            ["--model", "haiku", "-p", "what is this?"],
            ["chat", "-p", "what is this?"],
        ];
        for (const args of ways) {
            const end = await place.run(args, { env });
            expect([args, end.stderr, end.stdout]).to.deep.equal([args, "", "ok\n"]);
            expect(textsIn(server.requests.at(-1)?.body).at(-1)).to.equal("what is this?");
        }
        const models = server.requests.map(({ body }) => body.model);
        expect(models.filter((model) => model === "claude-haiku-5-5")).to.have.lengthOf(1);
        await server.close();
    });

    it("A prompt that begins with a dash and contains whitespace is not a flag", async () => {
        const server = await startMessagesServer({ script: () => reply(text("ok")) });
        const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
        const list = "- fix\n- add";
        const last = () => textsIn(server.requests.at(-1)?.body).at(-1);
        for (const args of [
            ["-p", list],
            [list, "-p"],
            ["chat", list, "-p"],
            ["chat", "-p", list, "--mode", "ask"],
            ["chat", "-p", "--", list],
        ]) {
            const end = await place.run(args, { env });
            expect([args, end.stderr, end.stdout]).to.deep.equal([args, "", "ok\n"]);
            expect(last()).to.contain(list);
        }
        const [id = ""] = place.conversationIds();
        const resumed = await place.run(["resume", id, "-p", "--mode ask?"], { env });
        expect([resumed.stderr, resumed.stdout, last()]).to.deep.equal(["", "ok\n", "--mode ask?"]);
        await server.close();
    });

    it("An extra word after a command leads to the command's help, not to another command", async () => {
        for (const [args, said] of [
            [["models", "foo"], "`north models` takes no foo.\n  `north models --help` shows"],
            [["doctor", "all", "day"], "`north doctor` takes no all day.\n  `north doctor --help`"],
            [["allowlist", "foo"], "There is no command `north allowlist foo`.\n"],
        ] as const) {
            const end = await place.run(args);
            expect([args, end.code, end.stdout]).to.deep.equal([args, 2, ""]);
            expect(end.stderr).to.contain(said);
        }
    });

    it("A plugin's path that leads nowhere is said to be missing before npm is asked", async () => {
        for (const name of ["./gone.tgz", "gone.tgz", "../gone"]) {
            const end = await place.run(["plugins", "install", name]);
            expect([name, end.code, end.stdout]).to.deep.equal([name, 1, ""]);
            expect(end.stderr).to.match(/^\/.*gone.* does not exist\.\n {2}Check the path/);
        }
    });

    it("In a terminal the chat opens with the question", async () => {
        const server = await startMessagesServer({ script: () => reply(text("It is a test.")) });
        const terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, "what is this?"],
            cwd: place.repository,
            env: place.environment({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url }),
        });
        try {
            await terminal.waitFor("It is a test.");
            expect(terminal.screen()).to.contain("❯ what is this?");
        } finally {
            await terminal.close();
            await server.close();
        }
    });

    it("-h and --help show help, also of a command", async () => {
        for (const flag of ["-h", "--help"]) {
            const end = await place.run([flag]);
            expect({ code: end.code, stderr: end.stderr }).to.deep.equal({ code: 0, stderr: "" });
            expect(end.stdout).to.match(/USAGE\n {2}\$ north \[COMMAND\]/);
            expect(end.stdout).to.match(/^ {2}chat +Work on this repository with a model\.$/m);
            const chat = await place.run(["chat", flag]);
            expect({ code: chat.code, stderr: chat.stderr }).to.deep.equal({ code: 0, stderr: "" });
            expect(chat.stdout).to.contain("--accept-edits");
        }
    });

    it("Where PATH has no north, errors and hints name a command that can be typed", async () => {
        const folders = (process.env.PATH ?? "").split(":");
        const PATH = folders.filter((each) => !existsSync(path.join(each, "north"))).join(":");
        const own = northCommand("", PROGRAM, place.repository);
        for (const args of [
            ["chaat"],
            ["-p", "hi"],
            ["resume", "zzzzzz"],
            ["doctor"],
            ["review"],
        ]) {
            const installed = await place.run(args);
            const clone = await place.run(args, { env: { PATH } });
            const said = installed.stdout + installed.stderr;
            expect(said).to.match(/`north |\| north /);
            const typed = said.replaceAll(/(?<=`|\| )north(?=[ `])/g, own);
            expect(clone.stdout + clone.stderr).to.equal(typed);
        }
        const edit = ["-p", 'create a.txt with "x"', "--model", "offline", "--accept-edits"];
        await place.run(edit);
        const undone = await place.run(["undo", "--force"], { env: { PATH } });
        expect(undone.stdout).to.contain(`Run \`${own} undo\` again`);
        const terminal = place.open([], { env: { PATH }, columns: 200 });
        await terminal.waitFor(`run \`${own} login anthropic\``);
        terminal.type("/doctor\r");
        await terminal.waitFor(`Run \`${own} doctor\` in a shell.`);
        await terminal.close();
    });

    it("A wrong word or flag gets a short suggestion", async () => {
        for (const [args, ...told] of [
            [
                ["chaat"],
                "no command `north chaat`",
                "mean `north chat`?",
                '`north -p "your question"`',
            ],
            [["fix", "the", "bug"], '`north "fix the bug"`'],
            [["say:a|"], "There is no command `north say:a|`.\n"],
            [["nope", "--help"], "There is no command `north nope`.\n"],
            [["help", "conversations", "shwo"], "mean `north conversations show`?"],
            [["mcp", "list"], "plugins/north-plugin-mcp` adds MCP servers.\n"],
            [["conversations", "shwo"], "mean `north conversations show`?"],
            [["plugins", "instal"], "mean `north plugins install`?"],
            [["--modle", "haiku"], "no flag --modle. Did you mean --model?", "`north chat --help`"],
            [["-p", "hi", "--yolo"], "no flag --yolo. Use --accept-edits and --approve-shell.\n"],
            [["-p", "hi", "--max-budget-usd", "2"], "--max-budget-usd. Use --max-cost USD.\n"],
            [["-p", "hi", "--json"], "no flag --json. Use --output-format json or stream-json.\n"],
            [
                ["--dangerously-bypass-approvals-and-sandbox"],
                "Use --accept-edits and --approve-shell",
            ],
            [["init"], "Use `north learn`."],
            [["constructor"], "no command `north constructor`.\n  A question needs quotes"],
            [["costs", "--since", "2026-02-30"], "--since: Expected a date like"],
            [["-p", "hi", "--plain"], "--print cannot be used with --plain.\n"],
            [["costs", "--by", "reason", "--as", "haiku"], "--by cannot be used with --as."],
            [["resume", "--at", "3"], "--at needs --fork.\n"],
            [["--timeout", "5"], "--timeout needs --print.\n"],
            [["--output-format", "text"], "--output-format needs --print.\n"],
            [["import", "aider"], "to be one of: claude, codex, gemini, cursor, copilot, opencode"],
            [["--search"], 'no flag --search. Set "webSearch": true in config.json.\n'],
            [["exec", "fix it"], 'Use `north -p "PROMPT"`.'],
            [["upgrade"], "Use `north update`."],
            [["costs", "--by", "foo"], "Expected --by=foo to be one of: model, provider"],
            [["costs", "--sinc", "7d"], "no flag --sinc. Did you mean --since?"],
            [["chat", "--model"], "--model needs a value.", "`north chat --help`"],
            [["login", "a", "b"], "Unexpected argument: b", "`north login --help`"],
            [["-p", "fix", "it"], "Unexpected argument: it", "Put quotes around"],
            [
                ["conversations", "show"],
                "needs ID",
                "Conversation ID, its first digits, or a name; see `north conversations`",
            ],
            [["undo", "--turns", "x"], "--turns: Expected an integer", "`north undo --help`"],
            [["costs", "--since", "x"], "--since: Expected a date like"],
            [
                ["conversations", "--search", "x"],
                "no flag --search.\n  `north conversations --help`",
            ],
            [["plugins", "install", "--bad"], "`north plugins install` has no flag --bad."],
            [["plugins", "install"], "needs PLUGIN", "`north plugins install --help`"],
            [["completion", "tcsh"], "no completion script for tcsh", "Choose bash, zsh or fish."],
        ] as const) {
            const end = await place.run([...args]);
            expect([args, end.code, end.stdout]).to.deep.equal([args, 2, ""]);
            for (const part of told) expect(end.stderr).to.contain(part);
            expect(end.stderr.split("\n")).to.have.lengthOf.at.most(5);
        }
    });

    it("A failure is printed as JSON when JSON was requested", async () => {
        const end = await place.run(["conversations", "show", "abcdef", "--json"]);
        expect(end.code).to.equal(1);
        expect(JSON.parse(end.stdout).error).to.deep.equal({
            code: "no-such-conversation",
            message: "There is no conversation abcdef.",
            nextSteps: ["`north conversations` lists them."],
        });
        expect(end.stderr).to.contain("There is no conversation abcdef.");
    });

    it("-v and --version print the version", async () => {
        for (const flag of ["-v", "--version"]) {
            const end = await place.run([flag]);
            expect(end.code).to.equal(0);
            expect(end.stdout).to.match(/^north-cli\/\d+\.\d+\.\d+ \S+ node-v\d+\.\d+\.\d+\n$/);
        }
    });
});
