import { once } from "node:events";
import * as fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect } from "chai";
import {
    type ChatServer,
    reply as chatReply,
    says,
    startChatServer,
} from "../helpers/vendors/chat-completions-server.js";
import { reply, startMessagesServer, text } from "../helpers/vendors/messages-server.js";
import { Workplace } from "../helpers/north-program.js";

const KEY = "a-key-of-the-test-0123456789";
const MILLION = 1_000_000;

interface ListedModel {
    readonly id: string;
    readonly provider: string;
    readonly from: string;
    readonly contextTokens: number;
    readonly prices?: object;
}

/** The built program, the user's `config.json`, and servers on loopback. */
describe("Models", () => {
    let place: Workplace;
    const open: { close(): unknown }[] = [];

    beforeEach(() => {
        place = new Workplace().reusingProcess();
    });
    afterEach(async () => {
        await Promise.all(open.splice(0).map((server) => server.close()));
        await place.remove();
    });

    async function serve(handler: http.RequestListener): Promise<string> {
        const server = http.createServer(handler).listen(0, "127.0.0.1");
        await once(server, "listening");
        open.push({
            close: () => {
                server.closeAllConnections();
                return server.close();
            },
        });
        return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    }

    /** As Ollama answers: https://docs.ollama.com/openai#v1-models */
    async function ollama(...ids: readonly string[]): Promise<ChatServer> {
        const data = ids.map((id) => ({ id, object: "model", created: 1, owned_by: "library" }));
        const server = await startChatServer({
            models: { object: "list", data },
            script: () => ({
                ...chatReply(says("Hello.")),
                usage: { prompt_tokens: MILLION, completion_tokens: MILLION },
            }),
        });
        open.push(server);
        return server;
    }

    function configure(settings: object): void {
        const folder = path.join(place.home, ".config/north");
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(path.join(folder, "config.json"), JSON.stringify(settings));
    }

    async function north(args: readonly string[], env: Record<string, string> = {}) {
        const end = await place.run(args, { env });
        expect(end, end.stderr).to.include({ code: 0 });
        return end;
    }

    const costs = async () => JSON.parse((await north(["costs", "--json"])).stdout);

    it("A local server's models are listed without settings and used by name", async () => {
        const { url } = await ollama("llama3.2:latest", "qwen3:8b");
        const env = { LOCAL_BASE_URL: url };
        const list = JSON.parse((await north(["models", "--json"], env)).stdout);
        expect(list.problems).to.deep.equal([]);
        const served = list.models.filter(({ from }: ListedModel) => from === "server");
        expect(served.map(({ id }: ListedModel) => id)).to.deep.equal([
            "llama3.2:latest",
            "qwen3:8b",
        ]);
        const { stdout, stderr } = await north(["-p", "Hi", "--model", "local/qwen3:8b"], env);
        expect({ stdout, stderr }).to.deep.equal({ stdout: "Hello.\n", stderr: "" });
        expect(await costs()).to.deep.include({ totalUsd: 0, unpricedRequests: 0 });
    });

    it("A session uses the prices and limits of a router's own list, and those in config.json first", async () => {
        const pricing = { prompt: "0.000001", completion: "0.000002" };
        const limits = { context_length: 200_000, top_provider: { max_completion_tokens: 64_000 } };
        const usage = { prompt_tokens: MILLION, completion_tokens: MILLION };
        const server = await startChatServer({
            efforts: ["low", "medium", "high"],
            models: {
                data: [
                    { id: "acme/large", pricing, ...limits, reasoning: { mandatory: true } },
                    { id: "acme/own", pricing, ...limits },
                ],
            },
            script: () => ({ ...chatReply(says("Hello.")), usage }),
        });
        open.push(server);
        configure({
            providers: { router: { baseURL: server.url } },
            models: [
                {
                    provider: "router",
                    id: "acme/own",
                    maxOutputTokens: 1_000,
                    contextTokens: 9_000,
                    prices: { input: 5 },
                },
            ],
        });
        await north(["-p", "Hi", "--model", "router/acme/large"]);
        expect(await costs()).to.deep.include({ totalUsd: 3, unpricedRequests: 0 });
        await north(["-p", "Hi", "--model", "router/acme/large", "--thinking", "high"]);
        await north(["-p", "Hi", "--model", "router/acme/own"]);
        expect(await costs()).to.deep.include({ totalUsd: 13 });
        const bodies = server.requests.map(({ body }) => body);
        expect(bodies.map(({ max_tokens }) => max_tokens)).to.deep.equal([64_000, 64_000, 1_000]);
        // Thinking that cannot be turned off is left to the model.
        expect(bodies.map((body) => body.reasoning_effort)).to.deep.equal([
            undefined,
            "high",
            undefined,
        ]);
        server.assertDone();
    });

    it("A known host needs only its key; the same name in config.json stands for that server", async () => {
        const server = await startChatServer({
            apiKey: KEY,
            models: { data: [{ id: "acme/large", context_window: 64_000, max_tokens: 8_000 }] },
            script: () => chatReply(says("Hello.")),
        });
        open.push(server);
        const env = { OPENROUTER_API_KEY: KEY, OPENROUTER_BASE_URL: server.url };
        const listed = JSON.parse((await north(["models", "--json"], env)).stdout).models;
        expect(listed.find(({ id }: ListedModel) => id === "acme/large")).to.include({
            ...{ provider: "openrouter", from: "server", contextTokens: 64_000 },
            ...{ maxOutputTokens: 8_000, hasKey: true },
        });
        const unchosen = await place.run(["-p", "Hi"], { env });
        expect(unchosen.code).to.equal(1);
        expect(unchosen.stderr).to.include(
            "No model is chosen.\n  OPENROUTER_API_KEY is set: choose a model with `--model openrouter/MODEL`"
        );
        const args = ["-p", "Hi", "--model", "openrouter/acme/large"];
        expect((await north(args, env)).stdout).to.equal("Hello.\n");
        const own = await startChatServer({ script: [chatReply(says("Mine."))] });
        open.push(own);
        configure({ providers: { openrouter: { baseURL: own.url } } });
        const mine = await north(args, env);
        expect(mine).to.include({ stdout: "Mine.\n", stderr: "" });
        expect(own.requests[0]?.headers.authorization ?? "").not.to.include(KEY);
        server.assertDone();
    });

    it("A server that lists a small window gets fewer tools and a shorter prompt", async () => {
        const server = await startChatServer({
            models: { data: [{ id: "small", meta: { n_ctx: 8_192 } }, { id: "large" }] },
            script: () => chatReply(says("Hello.")),
        });
        open.push(server);
        const env = { LOCAL_BASE_URL: server.url };
        for (const model of ["small", "large"]) {
            const said = await north(["-p", "Hi", "--model", `local/${model}`], env);
            expect(said).to.include({ stdout: "Hello.\n", stderr: "" });
        }
        const [small, large] = server.requests.map(({ body, raw }) => ({
            tools: body.tools?.length ?? 0,
            bytes: raw.length,
        }));
        expect(small?.tools).to.be.within(5, 10);
        expect(large?.tools).to.be.above(25);
        expect(small?.bytes).to.be.below(Number(large?.bytes) / 1.8);
    });

    it("A server that cuts requests at 4,096 tokens is noticed with the first reply, once", async () => {
        const usage = { prompt_tokens: 4_096, completion_tokens: 5 };
        const server = await startChatServer({
            script: () => ({ ...chatReply(says("Hello.")), usage }),
        });
        open.push(server);
        const { stdout, stderr } = await north(["-p", "Hi", "--model", "local/qwen3:8b"], {
            LOCAL_BASE_URL: server.url,
        });
        expect(stdout).to.equal("Hello.\n");
        const [line = "", ...more] = stderr.trim().split("\n");
        const [, sent = ""] =
            /^Local server read only 4,096 of (?:about|at least) ([\d,]+) tokens: .*num_ctx/.exec(
                line
            ) ?? [];
        const bytes = server.requests[0]?.raw.length ?? 0;
        expect(Number(sent.replace(",", ""))).to.be.within(4_097, bytes / 3);
        expect(more).to.deep.equal([]);
    });

    it("Models are listed although servers hang, fail or answer nonsense, one line each", async () => {
        const { url } = await ollama("llama3.2:latest");
        configure({
            providers: {
                hangs: { baseURL: await serve(() => {}) },
                fails: { baseURL: await serve((_, response) => response.writeHead(500).end()) },
                babbles: { baseURL: await serve((_, response) => response.end("<html>")) },
                gone: { baseURL: "http://127.0.0.1:9/v1", models: ["kept"] },
            },
        });
        const env = { LOCAL_BASE_URL: url };
        // Both wait for the server that hangs.
        const [json, table] = await Promise.all([
            north(["models", "--json"], env),
            north(["models"], env),
        ]);
        const { models, problems } = JSON.parse(json.stdout);
        expect(problems).to.have.lengthOf(4);
        expect(problems[0]).to.match(/^hangs: hangs took too long to answer/);
        expect(problems[1]).to.equal("fails: fails had an internal error.");
        expect(problems[2]).to.equal("babbles: babbles sent no model list.");
        expect(problems[3]).to.match(/^gone: .*127\.0\.0\.1:9/);
        const named = models.map(({ provider, id }: ListedModel) => `${provider}/${id}`);
        expect(named).to.include.members(["local/llama3.2:latest", "gone/kept"]);
        expect(table.stdout.trimEnd().split("\n").slice(-4)).to.deep.equal(problems);
    });

    it("Older and retired models, ids and output limits are listed only with --all", async () => {
        const { stdout } = await north(["models"]);
        expect(stdout).not.to.contain("retired, use").and.not.to.contain("Output");
        expect(stdout).not.to.contain("opus-4-6").and.not.to.contain("gpt-5.1");
        expect(stdout).to.match(
            /`--all` adds IDs, output limits, \d+ older and \d+ retired models\./
        );
        const all = (await north(["models", "--all"])).stdout;
        for (const part of ["retired, use", "Output", "opus-4-6", "gpt-5.1"]) {
            expect(all).to.contain(part);
        }
    });

    it("Models with a key are listed first", async () => {
        const { stdout } = await north(["models"], { OPENAI_API_KEY: KEY });
        const order = ["offline", "sol", "sonnet"].map((name) => stdout.indexOf(`\n${name} `));
        expect(order).to.deep.equal(order.toSorted((a, b) => a - b));
        expect(stdout).not.to.contain("gpt-5.1");
    });

    it("/model refuses a model without a key and says how to set one", async () => {
        const terminal = place.open([]);
        await terminal.waitFor(/❯ *$/);
        terminal.type("/model gpt-5.1\r");
        await terminal.waitFor("There is no API key for OpenAI.");
        await terminal.waitFor("Set OPENAI_API_KEY, or run `north login openai`.");
        await terminal.waitFor("Offline (no model) ·");
        await terminal.close();
    });

    it("A key for Mistral without its plugin leads to the plugin", async () => {
        const folder = path.resolve("plugins/north-provider-mistral");
        const step = `\`${place.northCommand} plugins link ${folder}\` adds Mistral's models.`;
        const env = { MISTRAL_API_KEY: "k".repeat(32) };
        const terminal = place.open([], { env, columns: 250 });
        await terminal.waitFor(step);
        await terminal.close();
        for (const args of [
            ["login", "mistral"],
            ["-p", "hi", "--model", "mistral"],
            ["-p", "hi", "--model", "mistral/mistral-medium-2604"],
            ["-p", "hi", "--model", "devstral-2512"],
            ["-p", "hi"],
        ]) {
            const end = await place.run(args, { env });
            expect(end.stderr, args.join(" ")).to.contain(step);
            expect(end.code).to.be.greaterThan(0);
        }
        for (const args of [["models"], ["doctor"]]) {
            const { stdout } = await place.run(args, { env });
            expect(stdout, args.join(" ")).to.contain("MISTRAL_API_KEY is set").and.contain(step);
        }
    });

    for (const [name, plugin] of [
        ["vertex/gemini-3.8-flash", "north-provider-google"],
        ["bedrock/anthropic.claude-opus-5-v1:0", "north-provider-bedrock"],
        ["ollama/qwen3", "north-provider-ollama"],
    ] as const) {
        it(`The error for ${name} without its plugin names the plugin`, async () => {
            const end = await place.run(["-p", "hi", "--model", name]);
            const folder = path.resolve("plugins", plugin);
            expect(end.stderr).to.contain(`\`${place.northCommand} plugins link ${folder}\` adds`);
            expect(end.code).to.equal(2);
        });
    }

    it("A server that nobody configured is not mentioned", async () => {
        // Whatever listens on Ollama's port of this machine answers for itself.
        const { problems } = JSON.parse((await north(["models", "--json"])).stdout);
        expect(problems.filter((line: string) => /ECONNREFUSED/.test(line))).to.deep.equal([]);
    });

    it("Configured prices and limits apply to the list and to the costs", async () => {
        const server = await startMessagesServer({
            script: () => ({
                ...reply(text("ok")),
                usage: { input_tokens: MILLION, output_tokens: MILLION },
            }),
        });
        open.push(server);
        const { url } = await ollama("big");
        configure({
            models: [
                { provider: "anthropic", id: "claude-sonnet-5-5", prices: { input: 7, output: 8 } },
            ],
            providers: {
                house: {
                    baseURL: url,
                    models: [
                        { id: "big", contextTokens: 9_000, prices: { input: 0.5, output: 1 } },
                    ],
                },
            },
        });
        const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
        const { models } = JSON.parse((await north(["models", "--json"], env)).stdout);
        const find = (wanted: string) => models.find(({ id }: ListedModel) => id === wanted);
        expect(find("claude-sonnet-5-5")).to.deep.include({ from: "config.json" });
        expect(find("claude-sonnet-5-5").prices).to.include({ input: 7, output: 8 });
        expect(find("big")).to.deep.include({ provider: "house", contextTokens: 9_000 });
        for (const model of ["sonnet", "house/big"]) {
            const { stderr } = await north(["-p", "Hi", "--model", model], env);
            expect(stderr).to.equal("");
        }
        const { rows, totalUsd } = await costs();
        expect(
            rows.map(({ key, costUsd }: Record<string, unknown>) => [key, costUsd])
        ).to.deep.equal([
            ["claude-sonnet-5-5", 15],
            ["big", 1.5],
        ]);
        expect(totalUsd).to.equal(16.5);
    });

    it("An unconfirmed price is marked in the list and in the costs", async () => {
        const usages = [{ input_tokens: 10 }, { input_tokens: MILLION }];
        const server = await startMessagesServer({
            script: usages.map((usage) => ({ ...reply(text("ok")), usage })),
        });
        open.push(server);
        const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
        expect((await north(["models"])).stdout).to.match(/^haiku .* price unconfirmed$/m);
        // Only its price for long prompts is.
        await north(["-p", "Hi", "--model", "haiku"], env);
        expect((await north(["costs"])).stdout).not.to.contain("unconfirmed");
        await north(["-p", "Hi", "--model", "haiku"], env);
        const { rows, unconfirmedRequests } = await costs();
        expect(rows[0]).to.include({ requests: 2, unconfirmedRequests: 1 });
        expect(unconfirmedRequests).to.equal(1);
        expect((await north(["costs"])).stdout).to.match(
            /^Price unconfirmed: claude-haiku-5-5\.$/m
        );
    });

    it("Any id works behind its provider's name, with a warning that names what is near", async () => {
        const server = await startMessagesServer({
            script: [reply(text("ok")), reply(text("ok"))],
        });
        open.push(server);
        const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
        const said = await north(["-p", "Hi", "--model", "anthropic/next-thing"], env);
        expect(said.stdout).to.equal("ok\n");
        expect(said.stderr).to.equal(
            "next-thing is not in the catalogue: its price is not known and its limits are cautious guesses.\n"
        );
        expect(server.requests[0]?.body.model).to.equal("next-thing");
        const mistyped = await north(["-p", "Hi", "--model", "anthropic/sonet"], env);
        expect(mistyped.stderr).to.contain("Did you mean anthropic/sonnet?");
        server.assertDone();
    });

    it("An unknown model without its provider's name is refused", async () => {
        const end = await place.run(["-p", "Hi", "--model", "next-thing"]);
        expect({ code: end.code, stdout: end.stdout }).to.deep.equal({ code: 2, stdout: "" });
        expect(end.stderr).to.contain('There is no model called "next-thing".');
        expect((await place.run(["-p", "Hi", "--model", "offline/x"])).code).to.equal(2);
    });

    it("An unknown model of a known family works with a warning", async () => {
        const server = await startMessagesServer({ script: [reply(text("ok"))] });
        open.push(server);
        const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
        const said = await north(["-p", "Hi", "--model", "claude-sonnet-9-1"], env);
        expect(said.stdout).to.equal("ok\n");
        expect(said.stderr).to.match(/^claude-sonnet-9-1 is not in the catalogue: .*price.*\n$/);
        expect(server.requests[0]?.body.model).to.equal("claude-sonnet-9-1");
        server.assertDone();
    });
});
