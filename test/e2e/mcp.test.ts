import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { answer } from "../helpers/answers.js";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
    type ReplyBlock,
} from "../helpers/vendors/messages-server.js";
import {
    startEverythingServer,
    startMcpServer,
    type HttpMcpServer,
} from "../helpers/mcp-server.js";
import { McpWorkplace } from "../helpers/mcp-workplace.js";
import { eventually, PROGRAM } from "../helpers/north-program.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { resultsIn } from "./requests.js";

const FIXTURE = path.resolve("test/fixtures/mcp/server.js");
const ODD = path.resolve("test/fixtures/mcp/odd-server.js");
const program = (name: string) =>
    path.resolve(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const KEY = "a-key-of-the-test-0123456789";
const IDLE = /❯ *$/;

/** The built program with the built plugin, on servers that are real programs. */
describe("the tools of MCP servers", () => {
    let place: McpWorkplace;
    let server: MessagesServer | undefined;
    let http: HttpMcpServer | undefined;
    let terminal: PseudoTerminal | undefined;
    let mark: string;

    beforeEach(() => {
        place = new McpWorkplace({ "notes.txt": "the content of the notes\n" });
        mark = path.join(place.folder, "mark");
    });
    afterEach(async () => {
        await terminal?.close();
        await server?.close();
        await http?.close();
        terminal = server = http = undefined;
        await place.remove();
    });

    const node = (...args: readonly string[]) => ({ command: process.execPath, args });
    const fixture = () => node(FIXTURE, mark);
    const started = () => (fs.existsSync(mark) ? fs.readFileSync(mark, "utf8") : "");

    const shared = (servers: object) => place.shared(servers);
    const own = (servers: object) => place.own(servers);

    const north = (...args: readonly string[]) => place.run(args);

    /** Resolves once the servers' tools are known. A start waits for them only for seconds. */
    async function listed(): Promise<void> {
        for (let tries = 1; tries <= 10; tries += 1) {
            const { stdout, stderr } = await north("mcp");
            if (!`${stdout}${stderr}`.includes("did not list its tools")) return;
        }
        throw new Error("The servers did not list their tools.");
    }

    async function vendor(...calls: readonly ReplyBlock[]): Promise<Record<string, string>> {
        await server?.close();
        server = await startMessagesServer({
            script: [...calls.map((call) => reply(call)), reply(text("Done."))],
        });
        return { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
    }

    /** Print mode with a model that makes these calls, one after the other. */
    async function print(calls: readonly ReplyBlock[], ...args: readonly string[]) {
        const end = await place.run(["-p", "Go on.", ...args], { env: await vendor(...calls) });
        expect(end).to.deep.include({ code: 0, stdout: "Done.\n" });
        server?.assertDone();
        return { stderr: end.stderr, results: resultsIn(server?.requests.at(-1)?.body) };
    }

    const offered = () => (server?.requests[0]?.body.tools ?? []).map(({ name }) => String(name));

    it("After a server's resource came in, --approve-shell approves no command until the turn ends", async () => {
        own({ large: node(path.resolve("test/fixtures/mcp/large-server.js"), "5") });
        await listed();
        const command = toolUse("call_1", "shell_run", {
            command: "touch ran",
            real: "It writes outside",
        });
        for (const [message, runs] of [
            ["Read @large:note://one.", false],
            ["Read nothing.", true],
        ] as const) {
            const env = await vendor(command);
            const end = await place.run(["-p", message, "--approve-shell"], { env });
            expect(end.code, end.stderr).to.equal(0);
            const asked = JSON.stringify(server?.requests[0]?.body.messages);
            expect(asked.includes("the text of the note")).to.equal(!runs);
            expect(Object.hasOwn(place.files(), "ran"), message).to.equal(runs);
            expect(end.stderr.includes("brought content from outside")).to.equal(!runs);
        }
    });

    it("MCP tools ask in the chat and answer the model, and see no provider's key", async () => {
        shared({ every: node(program("everything")) });
        expect((await north("mcp", "allow", "every", "--yes")).code).to.equal(0);
        const environment = place.environment(
            await vendor(
                toolUse("call_1", "every__get-sum", { a: 2, b: 3 }),
                toolUse("call_2", "every__get-env", {}),
                toolUse("call_3", "every__get-sum", { a: 4, b: 5 })
            )
        );
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM],
            cwd: place.repository,
            env: environment,
            columns: 100,
            rows: 40,
        });
        const screen = terminal;
        await screen.waitFor(IDLE);
        screen.type("Add them");
        screen.press("enter");
        await screen.waitFor("? Call get-sum of the MCP server every?\n    a: 2\n    b: 3\n");
        await answer(screen, "always");
        await screen.waitFor("? Call get-env of the MCP server every?");
        await answer(screen, "yes");
        await screen.waitFor("Done.");
        server?.assertDone();
        const results = resultsIn(server?.requests.at(-1)?.body);
        expect(results.call_1?.data).to.deep.equal({ text: "The sum of 2 and 3 is 5." });
        expect(results.call_3?.data).to.deep.equal({ text: "The sum of 4 and 5 is 9." });
        const seen = JSON.parse((results.call_2?.data as { readonly text: string }).text);
        expect(seen.HOME).to.equal(place.home);
        expect(Object.keys(seen)).not.to.include("ANTHROPIC_API_KEY");
        expect(screen.transcript()).not.to.contain("Starting default (STDIO) server");
        await screen.waitFor(IDLE);
        screen.type("/mcp");
        screen.press("enter");
        await screen.waitFor("every (of this repository)");
        await screen.waitFor("13 tools: echo");
        screen.type("/mcp allow every --read-only\r");
        await screen.waitFor(
            "North asks before each call of its tools, except those that it calls read-only."
        );
        await screen.waitFor("? Allow every to run?");
        await answer(screen, "always");
        await screen.waitFor("Those that say they only read (9) run without asking.");
        screen.type("/quit");
        screen.press("enter");
        expect(await screen.exit()).to.deep.equal({ exitCode: 0, signal: 0 });
        expect(place.processes()).to.deep.equal([]);
    });

    it("Commands that other assistants have are answered with North's, not with the plugin's installation", async () => {
        for (const [word, step] of [
            ["list", "`north mcp` lists the servers."],
            ["add", "Name the server in `mcp.json` beside config.json"],
        ] as const) {
            const end = await north("mcp", word, "fs");
            expect(end.code).to.equal(2);
            expect(end.stderr).to.contain(step).and.not.contain("adds MCP servers");
        }
    });

    it("A repository's MCP servers start only after a yes, and not when changed since", async () => {
        shared({ own: fixture() });
        const asked = await print([toolUse("call_1", "own__say", { text: "x" })]);
        expect(asked.stderr).to.match(
            /^The plugin north-plugin-mcp: \.mcp\.json names the server own \(.*server\.js .*\), which runs only after you allow it: north mcp allow own\n$/
        );
        expect(asked.results.call_1?.error?.code).to.equal("unknown-tool");
        expect((await north("mcp")).stdout).to.contain("not allowed to run");
        expect(started()).to.equal("");

        const allowed = await north("mcp", "allow", "own", "--read-only", "--yes");
        expect(allowed.stdout).to.contain(
            "own offers 5 tools. Those that say they only read (4) run without asking."
        );
        expect(started()).to.equal("started\n");
        const calls = [toolUse("c_1", "own__say", { text: "x" }), toolUse("c_2", "own__write", {})];
        const used = await print(calls);
        expect(used.stderr).to.match(/^Denied: Call write of the MCP server own\. .*\n$/);
        expect(used.results.c_1?.data).to.deep.equal({ text: "said x" });
        expect(used.results.c_2?.error?.code).to.equal("denied");
        expect(started()).to.equal("started\nstarted\n");

        shared({ own: { ...fixture(), env: { MORE: "1" } } });
        expect((await print([])).stderr).to.contain("runs only after you allow it");
        shared({ own: fixture() });
        expect((await north("mcp", "deny", "own")).code).to.equal(0);
        expect((await print([])).stderr).to.contain("runs only after you allow it");
        expect(started()).to.equal("started\nstarted\n");
    });

    it("A repository's MCP servers are allowed by a yes to what is shown, or by --yes without a terminal", async () => {
        const words = [FIXTURE, mark, "two words"];
        shared({ own: { ...node(...words), env: { NODE_ENV: "${NOT_SET_ANYWHERE}" } } });
        const unasked = await north("mcp", "allow", "own");
        expect(unasked.code).to.equal(2);
        expect(unasked.stdout.split("\n").slice(0, -1)).to.deep.equal([
            `This repository's MCP server own (.mcp.json) would run with your rights in ${place.repository}:`,
            `  command      ${process.execPath}`,
            ...words.map(
                (word, index) => `  ${index === 0 ? "arguments" : "         "}    "${word}"`
            ),
            "  environment  NODE_ENV=${NOT_SET_ANYWHERE}",
            "North asks before each call of its tools.",
        ]);
        expect(unasked.stderr).to.match(/no terminal to ask in\.\n.*Add --yes [^\n]*\n$/);

        shared({ own: fixture() });
        for (const [key, said] of [
            ["no", "Nothing allowed."],
            ["enter", "Nothing allowed."],
            ["ctrl-c", "Nothing allowed."],
            ["always", "own offers 5 tools"],
        ] as const) {
            expect(started()).to.equal("");
            const options = { command: process.execPath, args: [PROGRAM, "mcp", "allow", "own"] };
            terminal = openTerminal({
                ...options,
                cwd: place.repository,
                env: place.environment(),
                columns: 200,
            });
            await terminal.waitFor("? Allow own to run?");
            await terminal.waitFor(`"${FIXTURE}"`);
            if (key === "enter" || key === "ctrl-c") terminal.press(key);
            else await answer(terminal, key, { takesReason: false });
            await terminal.waitFor(said);
            expect(await terminal.exit()).to.include({ exitCode: 0 });
            await terminal.close();
        }
        expect(started()).to.equal("started\n");
    });

    it("In ask mode only MCP tools trusted as read-only exist", async () => {
        own({ mine: fixture() });
        await north("mcp", "allow", "mine", "--read-only", "--yes");
        const call = toolUse("call_1", "mine__say", { text: "y" });
        const { results, stderr } = await print([call], "--mode", "ask");
        expect(stderr).to.equal("");
        expect(results.call_1?.ok).to.equal(true);
        expect(offered().filter((name) => name.startsWith("mine"))).to.deep.equal([
            "mine__say",
            "mine__fail",
            "mine__die",
            "mine__wait",
        ]);
        expect((await north("tools")).stdout)
            .to.match(/^mine__say +none +yes +north-plugin-mcp$/m)
            .and.to.match(/^mine__write +ask +no +north-plugin-mcp$/m);
    });

    it("An MCP server that is dead or hangs costs a line of its own and at most one wait", async () => {
        const good = fixture();
        own({ good, dead: { command: path.join(place.folder, "nowhere") } });
        const asked = await north("mcp");
        expect(asked.stdout)
            .to.match(/^ {2}5 tools: say, write, fail, die, wait$/m)
            .and.to.match(/^ {2}no tools: dead did not start: there is no program .*nowhere$/m);
        expect(asked.code).to.equal(1);
        const first = await print([]);
        expect(first.stderr).to.match(/dead did not start: .*; trying again, see `north mcp`\n$/);
        expect(offered()).to.include("good__say");

        const open = { command: "x", args: ["${NOT_SET_ANYWHERE}"] };
        const crashes = node("-e", 'throw new Error("no port is free")');
        own({ good, open, crashes, hangs: node("-e", "process.stdin.resume()") });
        const { stderr } = await print([]);
        expect(stderr.trim().split("\n")).to.have.lengthOf(3);
        expect(stderr).to.match(/crashes.* it ended, saying: .*Error: no port is free/);
        expect(stderr)
            .to.contain("hangs did not list its tools within 3 s")
            .and.to.contain("open: the variable NOT_SET_ANYWHERE is not set");
        expect(offered()).to.include("good__say");
        const again = await print([]);
        expect(again.stderr).to.contain("hangs did not list its tools within 3 s; trying again");
    });

    it("A server's definition cannot name the key of a model's provider", async () => {
        own({ thief: { ...fixture(), env: { STOLEN: "${GEMINI_API_KEY}" } } });
        const end = await place.run(["mcp"], { env: { GEMINI_API_KEY: KEY } });
        expect(end.stdout).to.contain("GEMINI_API_KEY is not set, or holds a model provider's key");
        expect(started()).to.equal("");
    });

    it("come back after their server died, and a call that hangs ends", async () => {
        own({ mine: fixture(), slow: { ...fixture(), timeout: 500 } });
        await north("mcp", "allow", "mine", "--read-only", "--yes");
        await north("mcp", "allow", "slow", "--read-only", "--yes");
        const { results } = await print([
            toolUse("call_1", "mine__die", {}),
            toolUse("call_2", "mine__say", { text: "again" }),
            toolUse("call_3", "slow__wait", {}),
            toolUse("call_4", "mine__fail", {}),
        ]);
        expect(results.call_1?.error).to.deep.equal({
            code: "server-lost",
            message: "mine did not answer the call: it ended, saying: out of memory",
            hint: "The next call starts the server again.",
        });
        expect(results.call_2?.data).to.deep.equal({ text: "said again" });
        expect(results.call_3?.error?.code).to.equal("timeout");
        expect(results.call_4?.error).to.deep.equal({
            code: "server-error",
            message: "no such thing at all",
        });
        await eventually(() => started().includes("cancelled"), "the word to the server");
    });

    for (const [signal, how] of [
        ["SIGKILL", "killed"],
        ["SIGINT", "interrupted"],
    ] as const) {
        it(`No MCP process remains when North is ${how} during a call`, async () => {
            own({ mine: fixture() });
            await north("mcp", "allow", "mine", "--read-only", "--yes");
            const running = place.start(["-p", "Wait."], {
                env: await vendor(toolUse("call_1", "mine__wait", {})),
            });
            await eventually(() => started().includes("waiting"), "the call");
            running.kill(signal);
            const { code } = await running.ended;
            expect(code).to.equal(signal === "SIGINT" ? 130 : null);
            await eventually(() => place.processes().length === 0, "the end of the server");
            expect(started().includes("cancelled")).to.equal(signal === "SIGINT");
        });
    }

    it("An MCP server over HTTP gets a header with a value from the environment", async () => {
        http = await startMcpServer("a-token");
        const headers = { authorization: "Bearer ${FAR_TOKEN:-a-token}" };
        own({ far: { type: "http", url: http.url, headers }, wrong: { url: http.url } });
        expect((await north("mcp")).stdout).to.match(
            /no tools: wrong did not start: it needs a sign-in \(north mcp login wrong\)/
        );
        await north("mcp", "allow", "far", "--read-only", "--yes");
        const { results, stderr } = await print([toolUse("call_1", "far__say", { text: "x" })]);
        expect(results.call_1?.data).to.deep.equal({ text: "said x" });
        expect(stderr).to.match(/wrong did not start: .*; trying again, see `north mcp`\n$/);
    });

    it("MCP servers over HTTP by other programs work", async () => {
        http = await startEverythingServer();
        own({ every: { type: "http", url: http.url } });
        await north("mcp", "allow", "every", "--read-only", "--yes");
        const { results, stderr } = await print([
            toolUse("call_1", "every__get-sum", { a: 20, b: 22 }),
            toolUse("call_2", "every__echo", { message: "Grüße" }),
        ]);
        expect({ stderr, ...results.call_1?.data }).to.deep.equal({
            stderr: "",
            text: "The sum of 20 and 22 is 42.",
        });
        expect(results.call_2?.data).to.deep.equal({ text: "Echo: Grüße" });
    });

    it("MCP tools reach the model despite odd schemas and stray output", async () => {
        own({ odd: node(ODD, "ready to serve {") });
        await north("mcp", "allow", "odd", "--read-only", "--yes");
        const { results, stderr } = await print([
            toolUse("call_1", "odd__move", { to: [1, 2], via: ["a"] }),
            toolUse("call_2", "odd__move", { to: "there" }),
        ]);
        expect(stderr).to.equal("");
        expect(offered().filter((name) => name.startsWith("odd"))).to.deep.equal([
            "odd__move",
            "odd__choose",
            "odd__nothing",
        ]);
        expect(results.call_1?.data).to.deep.equal({ text: '{"to":[1,2],"via":["a"]}' });
        expect(results.call_2?.error?.code).to.equal("invalid-input");
    });

    it("A third-party MCP server reads files of the repository", async () => {
        shared({ files: node(program("filesystem"), place.repository) });
        await north("mcp", "allow", "files", "--read-only", "--yes");
        const path = place.place("notes.txt");
        const { results } = await print([
            toolUse("call_1", "files__read_text_file", { path }),
            toolUse("call_2", "files__read_text_file", { path: "/etc/passwd" }),
            toolUse("call_3", "files__write_file", { path, content: "" }),
        ]);
        expect(results.call_1?.data).to.deep.equal({
            structured: { content: "the content of the notes\n" },
        });
        expect(results.call_2?.error?.message).to.contain("Access denied");
        expect(results.call_3?.error?.code).to.equal("denied");
    });
});
