import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
    toolUse,
    reply,
    startMessagesServer,
    text,
    type MessagesServer,
} from "../helpers/vendors/messages-server.js";
import { PROGRAM, Workplace } from "../helpers/north-program.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";

const FIXTURES = path.resolve("test/fixtures/plugins");
const IDLE = /❯ *$/;
const KEY = "a-key-of-the-test-0123456789";

interface ToolList {
    readonly tools: readonly { readonly name: string; readonly plugin: string }[];
    readonly slashCommands: readonly { readonly name: string; readonly plugin: string }[];
    readonly problems: readonly string[];
}

describe("Third-party plugins", () => {
    let place: Workplace;
    let env: Record<string, string>;
    let server: MessagesServer | undefined;
    let terminal: PseudoTerminal | undefined;

    beforeEach(() => {
        place = new Workplace();
        // Then oclif's files live in the folder of North's own.
        env = { NORTH_DATA_DIR: place.data };
    });
    afterEach(async () => {
        await terminal?.close();
        await server?.close();
        terminal = server = undefined;
        await place.remove();
    });

    /** What `north plugins link` writes for each; a test of its own below runs the command. */
    function link(...names: string[]): void {
        const plugins = names.map((name) => ({
            name: `north-plugin-${name}`,
            root: path.join(FIXTURES, name),
            type: "link",
        }));
        fs.mkdirSync(place.data, { recursive: true });
        const content = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
        fs.writeFileSync(path.join(place.data, "package.json"), JSON.stringify(content));
    }

    /** What a plugin has written down, a line each. */
    function seenBy(name: string) {
        const file = path.join(place.data, `plugins/north-plugin-${name}/seen.jsonl`);
        const lines = fs.readFileSync(file, "utf8").trim().split("\n");
        return lines.map((line) => JSON.parse(line));
    }

    it("A plugin is told what config.json sets for it, and nothing else", async () => {
        link("settings");
        const own = { region: "eu" };
        place.configure({ notify: "bell", plugins: { "north-plugin-settings": own, other: {} } });
        expect((await tools()).problems).to.deep.equal([
            `The plugin north-plugin-settings: its settings are ${JSON.stringify(own)}`,
        ]);
    });

    async function tools(): Promise<ToolList> {
        const end = await place.run(["tools", "--json"], { env });
        expect({ code: end.code, stderr: end.stderr }).to.deep.equal({ code: 0, stderr: "" });
        return JSON.parse(end.stdout);
    }

    it("Plugins are listed with their contributions, beside North's own", async () => {
        link("works");
        const list = await tools();
        expect(list.tools.find(({ name }) => name === "read_file")).to.deep.include({
            plugin: "north-cli",
            approval: "none",
            readOnly: true,
        });
        expect(list.tools.find(({ name }) => name === "edit_replace_exact")).to.deep.include({
            approval: "write",
            readOnly: false,
        });
        expect(list.tools.at(-1)).to.deep.equal({
            name: "shout",
            plugin: "north-plugin-works",
            approval: "none",
            readOnly: true,
            description: "Says it louder.",
        });
        expect(list.slashCommands.at(-1)?.plugin).to.equal("north-plugin-works");
        expect(list.problems).to.deep.equal([]);
        const { stdout } = await place.run(["tools"], { env });
        expect(stdout).to.match(/^shell_run +shell +no +north-cli$/m);
        expect(stdout).to.match(/^anthropic +\d+ +ANTHROPIC_API_KEY +north-cli$/m);
        expect(stdout).to.match(/^\/echo TEXT +Print it again\. +north-plugin-works$/m);
    });

    it("A plugin that throws, hangs, clashes or is too new costs one line", async () => {
        link("throws", "hangs", "hangs-at-import", "future", "taken", "works");
        const list = await tools();
        expect([...list.problems].sort()).to.deep.equal([
            "The plugin north-plugin-future: it needs plugin API version 2, this North has version 1",
            "The plugin north-plugin-hangs did not load: its hook took too long",
            "The plugin north-plugin-hangs-at-import did not load: its hook took too long",
            "The plugin north-plugin-taken: tool read_file was skipped: the name is taken by north-cli",
            "The plugin north-plugin-throws did not load: I do not feel like it",
        ]);
        const foreign = list.tools.filter(({ plugin }) => plugin !== "north-cli");
        expect(foreign.map(({ name }) => name)).to.deep.equal(["its_own", "shout"]);
    });

    it("A missing plugin is mentioned, and the conversation continues", async () => {
        link("throws", "taken");
        const end = await place.run(["-p", "help", "--model", "offline"], { env });
        expect(end.code).to.equal(0);
        expect(end.stderr).to.equal(
            "The plugin north-plugin-throws did not load: I do not feel like it\n" +
                "The plugin north-plugin-taken: tool read_file was skipped: the name is taken by north-cli\n"
        );
    });

    it("A faulty provider of a plugin ends its turn but not the chat", async () => {
        link("odd-provider");
        const faults = {
            "streams-null": "it sent something that is not a reply event",
            "streams-a-number": "it sent an event `text` in which `text` must be of type string",
            "streams-nothing": "Cannot read properties of undefined .*",
        };
        for (const [model, fault] of Object.entries(faults)) {
            const end = await place.run(["-p", "Hi", "--model", `odd/${model}`], { env });
            expect(end).to.include({ code: 1, stdout: "" });
            expect(end.stderr).to.match(
                new RegExp(
                    `^The provider Odd has a bug: ${fault}\\.\n  Choose another model with /model or --model\\.\n  \`north tools\` names the provider's plugin`
                )
            );
        }
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, "--model", "odd/throws-an-error"],
            cwd: place.repository,
            env: place.environment(env),
        });
        await terminal.waitFor(IDLE);
        terminal.type("Hi\r");
        await terminal.waitFor("✘ The provider Odd has a bug: x is not.");
        await terminal.waitFor(IDLE);
        terminal.type("Again\r");
        await terminal.waitFor("throws-an-error no more.");
        terminal.type("/quit\r");
        expect(await terminal.exit()).to.include({ exitCode: 0 });
        const log = fs.readFileSync(path.join(place.home, ".local/state/north/north.log"), "utf8");
        expect(log).to.match(/provider_failed.*x is not\\na function.*odd-provider\/register\.js/);
    });

    it("A silent provider of a plugin is asked again", async () => {
        link("odd-provider");
        const end = await place.run(["-p", "Hi", "--model", "odd/falls-silent"], { env });
        expect(end).to.include({ code: 0, stdout: "falls-silent no more.\n" });
        expect(end.stderr).to.match(/^No response from Odd for 0\.2 s\..* asking again\..*\n$/);
    });

    it("A plugin that throws where nobody can catch it is named, with what to do", async () => {
        link("throws-late");
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, "--model", "offline"],
            cwd: place.repository,
            env: place.environment(env),
        });
        await terminal.waitFor(
            /The plugin north-plugin-throws-late ended North: too late\s+Update it, or remove it with `north\s+plugins\s+uninstall\s/
        );
        expect((await terminal.exit()).exitCode).to.equal(1);
    });

    it("A plugin that leaves something running does not keep North from exiting with all its output", async () => {
        link("keeps-running");
        const list = await tools();
        expect(list.problems).to.deep.equal([]);
        expect(list.tools.length).to.be.greaterThan(20);
    });

    it("A command links and unlinks a plugin in North's own folder", async () => {
        const linked = await place.run(
            ["plugins", "link", "--no-install", path.join(FIXTURES, "works")],
            { env }
        );
        expect(linked.code).to.equal(0);
        server = await startMessagesServer({
            script: [reply(toolUse("toolu_1", "shout", { text: "quietly" })), reply(text("done"))],
        });
        const vendor = { ...env, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
        const said = await place.run(["-p", "Shout."], { env: vendor });
        expect(said).to.deep.include({ code: 0, stdout: "done\n", stderr: "" });
        expect(JSON.stringify(server.requests[1]?.body.messages)).to.contain("QUIETLY");
        server.assertDone();

        const unlinked = await place.run(["plugins", "uninstall", "north-plugin-works"], { env });
        expect(unlinked.code).to.equal(0);
        expect((await tools()).tools.map(({ plugin }) => plugin)).to.not.include(
            "north-plugin-works"
        );
        const { conversations } = JSON.parse(
            (await place.run(["conversations", "--json"], { env })).stdout
        );
        expect(conversations).to.have.lengthOf(1);
        expect(fs.readdirSync(place.data)).to.include.members(["package.json", "conversations"]);
    });

    it("A plugin observes when turns, requests and calls start and finish, and its faults end nothing", async () => {
        link("observes");
        place.write("README.md", "hello\n");
        server = await startMessagesServer({
            script: [
                reply(
                    toolUse("toolu_1", "read_file", { path: "README.md" }),
                    toolUse("toolu_2", "read_file", { path: "gone.md" })
                ),
                reply(text("done")),
            ],
        });
        const vendor = { ...env, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
        const said = await place.run(["-p", "Read."], { env: vendor });
        expect(said).to.deep.include({ code: 0, stdout: "done\n", stderr: "" });
        const seen = seenBy("observes");
        const ids = new Set(seen.map(({ place: { conversationId } }) => conversationId));
        expect(ids.size).to.equal(1);
        expect(seen.map(({ record }) => record)).to.include.members(["entry_added", undefined]);
        const events = seen.flatMap(({ event }) => event ?? []);
        expect(
            events.map(({ type, tool, ok, stopReason, errorCode }) =>
                [type, tool, ok, stopReason, errorCode].filter((part) => part !== undefined)
            )
        ).to.have.deep.members([
            ["turn-started"],
            ["request-started"],
            ["request-finished", "tool-calls"],
            ["tool-call-started", "read_file"],
            ["tool-call-started", "read_file"],
            ["tool-call-finished", "read_file", true],
            ["tool-call-finished", "read_file", false, "not-found"],
            ["request-started"],
            ["request-finished", "end"],
            ["turn-finished", "end"],
        ]);
        const [first] = events;
        const last = events.at(-1);
        expect(last).to.include({ turnId: first.turnId, requests: 2 });
        expect(last.usage.outputTokens).to.equal(10);
        expect(last.costUsd).to.be.above(0);
        for (const key of ["requestId", "callId"]) {
            const started = events.filter((event) => event[key] && /started/.test(event.type));
            for (const { [key]: id } of started) {
                expect(events.filter((event) => event[key] === id)).to.have.length(2);
            }
        }
    });

    it("A tool of a plugin starts the job that was approved, and no other, reads it and stops it", async () => {
        link("serves");
        server = await startMessagesServer({
            script: [reply(toolUse("toolu_1", "serve", {})), reply(text("done"))],
        });
        const vendor = { ...env, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
        const said = await place.run(["-p", "--approve-shell", "Serve."], { env: vendor });
        expect(said).to.deep.include({ code: 0, stdout: "done\n", stderr: "" });
        const data = { other: "not-approved", printed: "served\n", state: "stopped", jobs: 1 };
        const told = JSON.stringify(server.requests[1]?.body.messages);
        expect(told).to.contain(JSON.stringify(JSON.stringify(data)).slice(2, -2));
    });

    it("A plugin that observes learns which call a nested run belongs to", async () => {
        link("observes");
        server = await startMessagesServer({
            script: [
                reply(toolUse("toolu_1", "explore", { question: "Where is retry?" })),
                reply(text("In retry.ts.")),
                reply(text("done")),
            ],
        });
        const vendor = { ...env, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
        const said = await place.run(["-p", "Find it."], { env: vendor });
        expect(said).to.deep.include({ code: 0, stdout: "done\n", stderr: "" });
        const turns = seenBy("observes").filter(({ event }) => event?.type === "turn-finished");
        const [nested, outer] = turns.map((turn) => turn.place);
        expect(outer).to.have.all.keys("conversationId");
        expect(nested.parent).to.deep.equal({ ...outer, callId: "toolu_1" });
        expect(nested.conversationId).not.to.equal(outer.conversationId);
        expect(turns.map(({ event }) => event.requests)).to.deep.equal([1, 2]);
    });
});
