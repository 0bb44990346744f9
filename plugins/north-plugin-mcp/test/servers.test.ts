import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import type {
    JsonObject,
    NorthError,
    SlashContext,
    Tool,
    ToolContext,
    UserQuestion,
} from "north-cli/plugin";
import { checkTool, runTool, toolContext } from "north-cli/plugin-testing";
import { readDefinitions } from "../src/definitions.js";
import { ask, overviewOf, overviewText } from "../src/manage.js";
import register from "../src/register.js";
import type { McpFolders } from "../src/folders.js";
import { signIn, signOut } from "../src/sign-in.js";
import { signedIn } from "../src/sign-in-tokens.js";
import { openStore } from "../src/stored.js";
import { restoreEnvironment } from "../../../test/helpers/environment.js";
import { startMcpServer } from "../../../test/helpers/mcp-server.js";
import type { Keychain } from "../../../src/storage/secrets/keychain.js";
import { pluginSecrets } from "../../../src/host/project/load-plugins.js";
import { memoryKeychain, noKeychain } from "../../../test/helpers/keychains.js";
import { startProxy } from "../../../test/helpers/proxy-server.js";
import { isRunning } from "../../../test/shell/shells.js";

const fixture = (name: string) => path.resolve(`test/fixtures/mcp/${name}-server.js`);
const program = (name: string) =>
    path.resolve(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
const node = (...args: readonly string[]) => ({ command: process.execPath, args });

describe("MCP servers", () => {
    let place: McpFolders;
    let keychain: ReturnType<typeof memoryKeychain>;
    let folder: string;
    let child: ChildProcess | undefined;

    beforeEach(() => {
        // In the temporary HOME, because a server's offers may be stored after the test.
        folder = fs.realpathSync(fs.mkdtempSync(path.join(homedir(), "north-mcp-")));
        const [root, configFolder, dataFolder] = ["root", "config", "data"].map((name) =>
            path.join(folder, name)
        ) as [string, string, string];
        for (const made of [root, configFolder]) fs.mkdirSync(made);
        keychain = memoryKeychain();
        place = { root, configFolder, dataFolder, secrets: secretsIn(keychain) };
    });
    afterEach(async () => {
        await (await import("../src/open-connections.js")).closeAll();
        child?.kill("SIGKILL");
        child = undefined;
        fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    function secretsIn(keychain: Keychain) {
        const environment = { NORTH_CONFIG_DIR: path.join(folder, "config") };
        return pluginSecrets("north-plugin-mcp", environment, keychain);
    }

    /** What the plugin brings once the servers have said what they offer. */
    async function start(mcpServers: object, readOnlyTools = true) {
        const file = path.join(place.configFolder, "mcp.json");
        fs.writeFileSync(file, JSON.stringify({ mcpServers }));
        const store = openStore(place);
        for (const definition of (await readDefinitions(place)).definitions) {
            await store.allow(definition, { readOnlyTools });
            await ask(definition, place, store);
        }
        const contribution = await register(place);
        const find = (name: string): Tool =>
            (contribution.tools ?? []).find((tool) => tool.name === name)!;
        // As North does with an expected error.
        const call = (name: string, input: JsonObject = {}, context?: ToolContext) =>
            runTool(find(name), input, context).catch(({ code, message }: NorthError) => ({
                ok: false as const,
                error: { code, message },
            }));
        return { ...contribution, find, call };
    }

    it("An MCP server that misbehaves fails only that call and works in the next", async () => {
        const { call } = await start({ bad: node(fixture("hostile")) });
        const codes: Record<string, unknown> = {};
        const messages: Record<string, string> = {};
        for (const name of ["die", "flood", "wrong_shape", "refuse"]) {
            const result = await call(`bad__${name}`);
            codes[name] = result.ok ? "ok" : result.error.code;
            messages[name] = result.ok ? "" : result.error.message;
            expect(await call("bad__fine")).to.deep.include({ data: { text: "fine" } });
        }
        expect(codes).to.deep.equal({
            die: "server-lost",
            flood: "server-lost",
            wrong_shape: "server-refused",
            refuse: "server-refused",
        });
        expect(messages).to.include({
            die: "bad did not answer the call: it ended",
            flood: "bad did not answer the call: it sent more than 10 MB in one message",
            refuse: "bad refused the call: not today",
        });
        expect(await call("bad__nonsense")).to.deep.include({ data: { text: "after nonsense" } });
    });

    it("What cannot be read of an MCP server's result is named, and the rest reaches the model", async () => {
        const { call, contextSources } = await start({ bad: node(fixture("hostile")) });
        const texts = [
            "kept",
            "(left out: content of type video)",
            "(left out: content of type image)",
            "(left out: content of no type)",
        ];
        expect(await call("bad__odd_content")).to.deep.equal({
            ok: true,
            data: {
                text: texts.join("\n\n"),
                resources: [{ uri: "note://one", text: "noted", mimeType: undefined }],
            },
        });
        const { signal } = new AbortController();
        const mention = { text: "@bad:note://one", mode: "agent" } as const;
        const [part] =
            (await contextSources?.[0]?.forMessage?.(mention, { signal } as never)) ?? [];
        const unread = "(left out: a resource that cannot be read)";
        expect(part?.text).to.equal(["kept", unread, unread].join("\n\n"));
    });

    it("A tool of an MCP server whose schema is nested too deeply is skipped by name, alone", async () => {
        const { tools, problems } = await start({ bad: node(fixture("hostile"), "deep") });
        expect(tools?.map(({ name }) => name)).to.deep.equal(["bad__fine"]);
        const skipped = "skipped bottomless: nested too deeply";
        expect(problems).to.deep.equal([`bad: ${skipped}`]);
        expect(overviewText(await overviewOf(place))).to.contain(`\n  ${skipped}`);
    });

    it("A tool list that an MCP server changes during a call takes effect at the next start", async () => {
        const { call, tools } = await start({ bad: node(fixture("hostile")) });
        expect(await call("bad__change_list")).to.deep.include({ data: { text: "changed" } });
        expect(tools?.map(({ name }) => name)).not.to.include("bad__new_tool");
        let next = await register(place);
        while (!next.tools?.some(({ name }) => name === "bad__new_tool")) {
            next = await register(place);
        }
    });

    it("An MCP server of the older protocol that ends at a probe is started again", async () => {
        const { call } = await start({ old: node(fixture("hostile"), "old") });
        expect(await call("old__fine")).to.deep.include({ data: { text: "fine" } });
    });

    it("An MCP server's question is asked field by field, and declined when nobody can answer", async () => {
        const { call } = await start({ bad: node(fixture("hostile")) });
        const asked: UserQuestion[] = [];
        const answers = ["blue", "none", "4"];
        const askUser = async (question: UserQuestion) => {
            asked.push(question);
            return answers.shift();
        };
        const answered = await call("bad__ask", {}, toolContext({ ask: askUser }));
        const content = { colour: "blue", size: 4 };
        expect(answered).to.deep.include({
            data: { text: JSON.stringify({ action: "accept", content }) },
        });
        expect(asked.map(({ title, choices }) => [title, choices?.join()])).to.deep.equal([
            ["bad asks: Which one? colour", "red,blue"],
            ["bad asks: Which one? size", undefined],
            ['"none" is not a valid answer. bad asks: Which one? size', undefined],
        ]);
        const cancelled = await call("bad__ask", {}, toolContext({ ask: async () => undefined }));
        expect(JSON.stringify(cancelled)).to.contain("cancel");
        const alone = await call("bad__ask");
        expect(JSON.stringify(alone)).to.contain("North cannot ask here");
    });

    it("A form without an answer is cancelled, and its defaults are sent only after a yes", async () => {
        const { call } = await start({ bad: node(fixture("hostile")) });
        const asked = async (answers: readonly (string | undefined)[]) => {
            const titles: string[] = [];
            const ask = async ({ title }: UserQuestion) => answers[titles.push(title) - 1];
            const { data } = (await call("bad__ask_lightly", {}, toolContext({ ask }))) as {
                data: { text: string };
            };
            expect(Math.max(...titles.map(({ length }) => length))).to.be.below(4_000);
            return [...titles.slice(2), JSON.parse(data.text)];
        };
        const question = "bad asks: Sure? Send the defaults of what you skipped? confirm: true";
        expect(await asked([])).to.deep.equal([question, { action: "cancel" }]);
        expect(await asked([undefined, "colour 7", "No"])).to.deep.equal([
            question,
            { action: "cancel" },
        ]);
        const content = { colours: "colour 7", confirm: true };
        expect(await asked([undefined, "colour 7", "Yes"])).to.deep.equal([
            question,
            { action: "accept", content },
        ]);
        expect(await asked(["No"])).to.deep.equal([
            { action: "accept", content: { confirm: false } },
        ]);
    });

    it("A list of tools that never ends is cut before it fills the memory", async () => {
        const { tools } = await start({ bad: node(fixture("hostile"), "endless") });
        expect(tools?.map(({ name }) => name)).to.deep.equal(
            Array.from({ length: 10 }, (_, index) => `bad__tool_${index + 1}`)
        );
    });

    it("A list of tools that begins again and again ends, and each name counts once", async () => {
        const { tools } = await start({ bad: node(fixture("hostile"), "repeating") });
        expect(tools?.map(({ name }) => name)).to.deep.equal(["bad__one", "bad__two"]);
        const overview = await overviewOf(place);
        expect(overviewText(overview)).to.match(/^ {2}2 tools: one[^,]*, two[^,]*$/m);
    });

    it("Of very many tools the overview names the first, and says how to list all", async () => {
        await start({ large: node(fixture("large")) }, false);
        const [line = ""] = /^ {2}\d+ tools.*/m.exec(overviewText(await overviewOf(place))) ?? [];
        expect(line).to.match(/^ {2}5001 tools: .*, 4951 more \(all: north mcp --json\)$/);
        expect(line.split(", ")).to.have.length(51);
    });

    it("An MCP server's silence does not count while the user answers, whatever it sent before", async () => {
        const timeout = 3_000;
        const { call } = await start({ bad: { ...node(fixture("hostile")), timeout } });
        const ask = async ({ choices }: UserQuestion) => {
            if (choices === undefined) return "4";
            await setTimeout(timeout + 1_000);
            return "blue";
        };
        const answered = await call("bad__ask", {}, toolContext({ ask }));
        expect(answered).to.have.property("ok", true);
    });

    it("5,000 tools of an MCP server are found by find_tool and checked before they are called", async () => {
        const { tools, find, call } = await start({ large: node(fixture("large")) });
        expect(tools?.map(({ name }) => name)).to.deep.equal(["find_tool", "call_found_tool"]);
        await checkTool(find("find_tool"), {
            accepted: [{ query: "thing 4999" }],
            refused: [{}, { query: 1 }],
        });
        const found = await call("find_tool", { query: "number 4999" });
        expect(found).to.have.nested.property("data.found[0].tool", "large__thing_4999");
        const reading = { tool: "large__thing_4998", input: { what: "read" } };
        expect(await call("call_found_tool", reading)).to.deep.include({
            data: { text: "4998 read" },
        });
        const writing = { tool: "large__thing_4999", input: { what: "write" } };
        expect(await call("call_found_tool", writing)).to.have.nested.property(
            "error.code",
            "denied"
        );
        const permitted = toolContext({ permit: async () => true });
        expect(await call("call_found_tool", writing, permitted)).to.deep.include({
            data: { text: "4999 write" },
        });
        const wrong = { tool: "large__thing_4999", input: { what: 1 } };
        expect(await call("call_found_tool", wrong, permitted)).to.have.property("ok", false);
        expect(await call("call_found_tool", { tool: "x", input: {} })).to.have.nested.property(
            "error.code",
            "unknown-tool"
        );
    });

    it("An MCP server of the newer protocol announces a changed list", async () => {
        const { call } = await start({ large: node(fixture("large")) });
        const grown = await call("call_found_tool", { tool: "large__grow", input: {} });
        expect(grown).to.deep.include({ data: { text: "grew" } });
        const store = openStore(place);
        const [definition] = (await readDefinitions(place)).definitions;
        for (;;) {
            const known = await store.knowledge(definition!);
            const tools = known?.kind === "offers" ? known.tools : [];
            if (tools.some(({ name }) => name === "grown")) break;
        }
    });

    it("A prompt of an MCP server is a slash command that sends its text as data", async () => {
        const { slashCommands } = await start({ large: node(fixture("large")) });
        const review = slashCommands?.find(({ name }) => name === "large-review");
        expect(review?.usage).to.equal("/large-review file");
        const sent: unknown[] = [];
        const context = {
            screen: {
                during: async (_label: string, work: (signal: AbortSignal) => Promise<void>) =>
                    work(new AbortController().signal),
            },
            send: async (message: unknown) => void sent.push(message),
        };
        await review?.run("src/a b.ts", context as unknown as SlashContext);
        const origin = "large: Review";
        const text = "user: Review src/a b.ts well.";
        expect(sent).to.deep.equal([
            {
                text: `Follow the prompt ${origin} of my MCP server. src/a b.ts`,
                context: [{ kind: "mcp", id: `prompt ${origin}`, text, origin, fromOutside: true }],
            },
        ]);
    });

    it("An MCP resource mentioned in a message is attached to it", async () => {
        const { contextSources } = await start({ large: node(fixture("large")) });
        const { signal } = new AbortController();
        const request = { signal } as Parameters<
            NonNullable<NonNullable<typeof contextSources>[number]["forMessage"]>
        >[1];
        const parts = await contextSources?.[0]?.forMessage?.(
            { text: "Read @large:note://one, a@large:x and @other:note://one.", mode: "agent" },
            request
        );
        const origin = "large:note://one";
        expect(parts).to.deep.equal([
            { kind: "mcp", id: origin, text: "the text of the note", origin, fromOutside: true },
        ]);
        const missing = await contextSources?.[0]?.forMessage?.(
            { text: '@"large:note://two words"', mode: "agent" },
            request
        );
        expect(missing?.[0]?.text).to.match(/^It could not be read: /);
        const others = Array.from({ length: 12 }, (_, index) => `@other:${index}`).join(" ");
        const after = await contextSources?.[0]?.forMessage?.(
            { text: `${others} @large:note://one`, mode: "agent" },
            request
        );
        expect(after?.map(({ id }) => id)).to.deep.equal([origin]);
    });

    /** A program that writes down where it started and what it was told, and then serves. */
    function reporter(file: string): string {
        return [
            `import fs from "node:fs";`,
            `const told = { cwd: process.cwd(), project: process.env.NORTH_PROJECT_DIR };`,
            `fs.appendFileSync(${JSON.stringify(file)}, JSON.stringify(told) + "\\n");`,
            `await import(${JSON.stringify(fixture("hostile"))});`,
        ].join("\n");
    }

    it("The user's own server starts outside of the project, whose programs it would find, and is told where it is", async () => {
        const told = path.join(folder, "told");
        const own = path.join(folder, "own.mjs");
        fs.writeFileSync(own, reporter(told));
        const bin = path.join(place.root, "node_modules/.bin");
        fs.mkdirSync(bin, { recursive: true });
        fs.writeFileSync(path.join(bin, "my-server"), "#!/bin/sh\ntouch planted\n", {
            mode: 0o755,
        });
        const finds = `test -x node_modules/.bin/my-server && touch ${folder}/planted; exec "$0" "$@"`;
        const outside = { command: "sh", args: ["-c", finds, process.execPath, own] };
        await start({ outside });
        await start({ inside: { ...node(own), cwd: "project" } });
        await start({ elsewhere: { ...node("${NORTH_PROJECT_DIR}/../own.mjs"), cwd: folder } });
        const starts = fs.readFileSync(told, "utf8").trim().split("\n");
        const { root } = place;
        expect(starts.map((line) => JSON.parse(line) as object)).to.deep.include.members([
            { cwd: path.join(place.dataFolder, "servers"), project: root },
            { cwd: root, project: root },
            { cwd: folder, project: root },
        ]);
        expect(fs.existsSync(path.join(folder, "planted"))).to.equal(false);
        const wrong = await start({ wrong: { ...node(own), cwd: "tools" } }).catch(
            (error: Error) => error.message
        );
        expect(wrong).to.contain('its cwd must be "project" or an absolute path');
    });

    it("A repository's server that was allowed does not run in another clone, nor with another program", async () => {
        const told = path.join(folder, "told");
        const program = path.join(place.root, "tools.mjs");
        const value = { mcpServers: { shared: node("tools.mjs") } };
        fs.writeFileSync(path.join(place.root, ".mcp.json"), JSON.stringify(value));
        fs.writeFileSync(program, reporter(told));
        const store = openStore(place);
        const cloneOf = (projectId: string): McpFolders => ({
            ...place,
            projectId: async () => projectId,
        });
        const isAllowed = async (at: McpFolders) => {
            const [definition] = (await readDefinitions(at)).definitions;
            return (await store.permission(definition!)) !== undefined;
        };
        const first = cloneOf("first");
        const [allowed] = (await readDefinitions(first)).definitions;
        await store.allow(allowed!, { readOnlyTools: true });
        expect(await isAllowed(first)).to.equal(true);
        expect(await isAllowed(cloneOf("second"))).to.equal(false);
        await ask(allowed!, first, store);
        expect(fs.readFileSync(told, "utf8")).to.contain(place.root);

        fs.writeFileSync(program, `${reporter(told)}\n// another program`);
        expect(await isAllowed(first)).to.equal(false);
        // In a session that began before the change.
        const failure = await ask(allowed!, first, store).catch((error: NorthError) => error);
        expect(failure).to.include({ code: "not-allowed" });
        expect(fs.readFileSync(told, "utf8").trim().split("\n")).to.have.length(1);
    });

    it("A reply over HTTP that decompresses beyond the limit ends the call, not North", async () => {
        const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, " "));
        const server = http.createServer((_request, response) => {
            const headers = { "content-type": "application/json", "content-encoding": "gzip" };
            response.writeHead(200, headers).end(bomb);
        });
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        try {
            const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
            const before = process.memoryUsage().rss;
            const failure = await start({ big: { type: "http", url } }).catch(
                (error: Error) => error.message
            );
            expect(failure).to.contain("it sent more than 10 MB in one message");
            expect((process.memoryUsage().rss - before) / 1e6).to.be.below(150);
        } finally {
            server.close();
            server.closeAllConnections();
        }
    });

    const HTTP_ANSWERS: Readonly<Record<string, object>> = {
        initialize: {
            protocolVersion: "2025-06-18",
            capabilities: { tools: {} },
            serverInfo: { name: "http", version: "1" },
        },
        "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
        "tools/call": { content: [{ type: "text", text: "pong" }] },
    };

    it("A call over HTTP whose stream ends without an answer fails at once", async () => {
        let isSilent = true;
        const server = http.createServer(async (request, response) => {
            const text = Buffer.concat(await request.toArray()).toString();
            const { id, method } = text === "" ? {} : JSON.parse(text);
            if (id === undefined) return response.writeHead(text === "" ? 405 : 202).end();
            const result = HTTP_ANSWERS[method];
            const answer = result ? { result } : { error: { code: -32_601, message: "No" } };
            const data = `data: ${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n\n`;
            response.writeHead(200, { "content-type": "text/event-stream" });
            response.end(method === "tools/call" && isSilent ? ": hi\n\n" : data);
        });
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        try {
            const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
            const { call } = await start({ far: { type: "http", url } });
            const message = "far did not answer the call: its stream ended without an answer";
            expect(await call("far__echo")).to.have.nested.property("error.message", message);
            isSilent = false;
            expect(await call("far__echo")).to.deep.include({ data: { text: "pong" } });
        } finally {
            server.close();
            server.closeAllConnections();
        }
    });

    it("A call in a session that the server has forgotten is made in a new one", async () => {
        let [newest, forgotten, calls] = [0, 0, 0];
        const server = http.createServer(async (request, response) => {
            const text = Buffer.concat(await request.toArray()).toString();
            const { id, method } = text === "" ? {} : JSON.parse(text);
            if (method === "initialize") newest += 1;
            const session = request.headers["mcp-session-id"] ?? `${newest}`;
            const result = HTTP_ANSWERS[method];
            if (id === undefined) return response.writeHead(text === "" ? 405 : 202).end();
            if (Number(session) <= forgotten) return response.writeHead(404).end("Who?");
            if (method === "tools/call") calls += 1;
            const answer = result ? { result } : { error: { code: -32_601, message: "No" } };
            const headers = { "content-type": "application/json", "mcp-session-id": session };
            response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
        });
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        try {
            const { port } = server.address() as AddressInfo;
            const url = `http://127.0.0.1:${port}/mcp`;
            const { call } = await start({ forgets: { type: "http", url } });
            expect(await call("forgets__echo")).to.deep.include({ data: { text: "pong" } });
            forgotten = newest;
            expect(await call("forgets__echo")).to.deep.include({ data: { text: "pong" } });
            expect(calls).to.equal(2);
            forgotten = Infinity;
            expect(await call("forgets__echo")).to.have.property("ok", false);
        } finally {
            server.close();
            server.closeAllConnections();
        }
    });

    it("A server that ignores the end of its input and SIGTERM is ended with North's others", async () => {
        const told = path.join(folder, "pid");
        const stubborn = path.join(folder, "stubborn.mjs");
        const lines = [
            `import fs from "node:fs";`,
            `fs.writeFileSync(${JSON.stringify(told)}, String(process.pid));`,
            `process.on("SIGTERM", () => {});`,
            `setInterval(() => {}, 1000);`,
            `await import(${JSON.stringify(fixture("hostile"))});`,
        ];
        fs.writeFileSync(stubborn, lines.join("\n"));
        const { call } = await start({ bad: node(stubborn) });
        await call("bad__fine");
        const pid = Number(fs.readFileSync(told, "utf8"));
        expect(process.kill(pid, 0)).to.equal(true);
        await (await import("../src/open-connections.js")).closeAll();
        while (isRunning(pid)) await setTimeout(10);
    });

    it("The official memory server remembers what an earlier call stored", async () => {
        const env = { MEMORY_FILE_PATH: path.join(folder, "memory.jsonl") };
        const { call, find } = await start({ memory: { ...node(program("memory")), env } });
        const isListed = find("memory__read_graph") !== undefined;
        const use = (name: string, input: JsonObject) =>
            isListed
                ? call(`memory__${name}`, input)
                : call(
                      "call_found_tool",
                      { tool: `memory__${name}`, input },
                      toolContext({ permit: async () => true })
                  );
        const entities = [{ name: "North", entityType: "program", observations: ["runs"] }];
        expect(await use("create_entities", { entities })).to.have.property("ok", true);
        const graph = await use("read_graph", {});
        expect(graph).to.have.nested.property("data.structured.entities[0].name", "North");
    });

    it("An MCP server over HTTP is reached through the proxy of the environment, and an error names it", async () => {
        const before = { ...process.env };
        const proxy = await startProxy();
        const server = await startMcpServer("a-token");
        try {
            process.env.HTTP_PROXY = proxy.url.replace("//", "//user:secret@");
            const far = {
                type: "http",
                url: server.url.replace("127.0.0.1", "server.example"),
                headers: { authorization: "Bearer a-token" },
            };
            const { call } = await start({ far });
            const answered = await call("far__say", { text: "hello" });
            expect(answered).to.deep.include({ data: { text: "said hello" } });
            expect(proxy.asked).to.include(`POST ${far.url}`);
            await proxy.close();
            const { closeAll } = await import("../src/open-connections.js");
            await closeAll();
            const refused = await start({ far }).catch((error: Error) => error);
            expect(refused)
                .to.have.property("message")
                .that.contains(`The proxy ${proxy.url} failed`)
                .and.contains("ECONNREFUSED")
                .and.not.contains("secret");
        } finally {
            restoreEnvironment(before);
            await proxy.close();
            await server.close();
        }
    });

    /** The address of a server that wants a sign-in. */
    async function startOAuth(): Promise<string> {
        child = spawn(process.execPath, [fixture("oauth")], {
            stdio: ["ignore", "pipe", "ignore"],
        });
        const [printed] = (await once(child.stdout!, "data")) as [Buffer];
        return printed.toString("utf8").trim();
    }

    /** Opens the address that is shown, as a browser would. */
    function browse(text: string): void {
        const address = new URL(text.split("\n")[1]!);
        expect(address.searchParams.get("code_challenge_method")).to.equal("S256");
        const answer = new URL(address.searchParams.get("redirect_uri")!);
        answer.searchParams.set("code", "stolen");
        answer.searchParams.set("state", "guessed");
        // Somebody else's answer counts for nothing.
        void fetch(answer).then(() => fetch(address));
    }

    it("A sign-in with OAuth is kept in the keychain only, renewed, and forgotten by a deny", async () => {
        const url = await startOAuth();
        const far = { type: "http", url };
        const refused = await start({ far }).catch((error: Error) => error);
        expect(refused).to.have.nested.property("nextSteps[0]", "Run `north mcp login far`.");

        expect(await signIn(place, "far", browse)).to.equal(
            "You are signed in to far, which offers 1 tool."
        );
        const [learned] = (await register(place)).tools ?? [];
        expect(learned?.name).to.equal("far__whoami");
        const { call } = await start({ far });
        expect(await call("far__whoami")).to.deep.include({ data: { text: "signed in: true" } });

        const [[account, kept] = []] = keychain.stored;
        expect(account).to.match(/^north-plugin-mcp\/[0-9a-f]{64}$/);
        const { access_token: token, refresh_token: renewal } = JSON.parse(kept!).tokens;
        for (const secret of [token, renewal]) expect(filesWith(secret)).to.deep.equal([]);
        await fetch(new URL("/expire", url), { method: "POST" });
        expect(await call("far__whoami")).to.deep.include({ data: { text: "signed in: true" } });
        expect(JSON.parse(keychain.stored.get(account!)!).tokens.access_token).not.to.equal(token);
        const { denyServer } = await import("../src/manage.js");
        await denyServer(place, "far");
        expect(keychain.stored.size).to.equal(0);
    });

    it("A sign-in can be stopped while the server keeps the tokens back", async () => {
        const url = await startOAuth();
        await start({ far: { type: "http", url } }).catch(() => {});
        const silence = await fetch(new URL("/silence", url), { method: "POST" });
        const controller = new AbortController();
        const signing = signIn(place, "far", browse, controller.signal).catch((error) => error);
        await silence.text();
        controller.abort();
        expect(await signing).to.have.property(
            "message",
            "Not signed in: the sign-in was not completed."
        );
    });

    it("Without a keychain a sign-in is kept for this user only, and forgotten by a logout", async () => {
        place = { ...place, secrets: secretsIn(noKeychain) };
        const far = { type: "http", url: await startOAuth() };
        await start({ far }).catch(() => {});
        await signIn(place, "far", browse);
        const file = path.join(place.configFolder, "credentials.json");
        expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
        expect(filesWith("access_token")).to.deep.equal([file]);
        expect(await signOut(place, "far")).to.equal("Removed your sign-in to far.");
        expect(filesWith("access_token")).to.deep.equal([]);
        expect(await signOut(place, "far")).to.equal("You were not signed in to far.");
        const { closeAll } = await import("../src/open-connections.js");
        await closeAll();
        const refused = await start({ far }).catch((error: Error) => error);
        expect(refused).to.have.nested.property("nextSteps[0]", "Run `north mcp login far`.");
    });

    it("Two processes refresh one sign-in in turn and concurrently, with single-use tokens", async () => {
        const far = { type: "http", url: await startOAuth() };
        await start({ far }).catch(() => {});
        await signIn(place, "far", browse);
        const norths = [await start({ far }), await start({ far })];
        const expire = () => fetch(new URL("/expire", far.url), { method: "POST" });
        const answer = { data: { text: "signed in: true" } };
        for (const { call } of norths) expect(await call("far__whoami")).to.deep.include(answer);
        for (const { call } of [...norths, ...norths]) {
            await expire();
            expect(await call("far__whoami")).to.deep.include(answer);
        }
        await expire();
        const answers = await Promise.all(norths.map(({ call }) => call("far__whoami")));
        for (const each of answers) expect(each).to.deep.include(answer);
    });

    it("A refreshed sign-in that needs more scopes keeps its newest tokens and those scopes", async () => {
        const value = { url: "http://127.0.0.1/mcp" };
        const definition = { name: "far", source: "user", value, hash: "a".repeat(64) } as const;
        const store = openStore(place);
        const tokens = (access_token: string) => ({ access_token, token_type: "bearer" });
        await store.keepSignIn(definition, { tokens: tokens("old"), scope: "read list" });
        const provider = await signedIn(store, definition);
        await provider?.saveTokens(tokens("new"));
        const page = new URL("http://127.0.0.1/authorize?scope=read+write");
        const refused = await Promise.resolve(provider?.redirectToAuthorization(page)).catch(
            (error: NorthError) => error.code
        );
        expect(refused).to.equal("sign-in-expired");
        expect(await store.signIn(definition)).to.deep.equal({
            tokens: tokens("new"),
            scope: "read list write",
        });
    });

    /** The files below the place that hold this text. */
    function filesWith(text: string): string[] {
        return fs
            .readdirSync(folder, { recursive: true, encoding: "utf8" })
            .map((name) => path.join(folder, name))
            .filter((file) => fs.statSync(file).isFile())
            .filter((file) => fs.readFileSync(file, "utf8").includes(text));
    }
});
