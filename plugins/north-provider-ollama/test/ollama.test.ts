import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { ModelEvent, ModelInfo, ModelRequest, Provider } from "north-cli/plugin";
import { checkModels, checkProvider, checkReply, sampleRequest } from "north-cli/plugin-testing";
import { answersTo, collect, failureOf } from "../../../test/builtin/providers/support.js";
import { readAll } from "../../../test/helpers/vendors/streaming-server.js";
import { createOllama } from "../src/provider.js";
import register from "../src/register.js";

interface ChatRequest {
    readonly model: string;
    readonly messages: readonly Record<string, unknown>[];
    readonly options: Record<string, unknown>;
    readonly [field: string]: unknown;
}

/** What `/api/show` says of a model. */
interface ShownModel {
    readonly capabilities?: readonly string[];
    readonly [field: string]: unknown;
}

const SHOWN: Readonly<Record<string, ShownModel>> = {
    "qwen3:8b": {
        capabilities: ["completion", "tools", "thinking"],
        model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
    },
    "llava:7b": {
        capabilities: ["completion", "vision"],
        model_info: { "general.architecture": "llama", "llama.context_length": 4_096 },
    },
    "nomic-embed-text:latest": {
        capabilities: ["embedding"],
        model_info: { "general.architecture": "nomic-bert", "nomic-bert.context_length": 2_048 },
    },
    "mine:latest": {
        parameters: 'num_ctx                        65536\nstop                           "x"',
        model_info: { "general.architecture": "llama", "llama.context_length": 131_072 },
    },
};
const FIELDS = ["model", "stream", "keep_alive", "options", "think", "tools", "messages"];
const DONE = { done: true, done_reason: "stop", prompt_eval_count: 26, eval_count: 7 };

describe("Ollama provider", () => {
    let server: http.Server;
    let script: (readonly (object | string)[])[] = [];
    /** Listed models that the server cannot describe. */
    let broken: readonly string[] = [];
    let requests: ChatRequest[] = [];

    beforeEach(async () => {
        script = [];
        broken = [];
        requests = [];
        server = http.createServer((request, response) => {
            void answer(request, response);
        });
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
    });
    afterEach(async () => {
        server.close();
        server.closeAllConnections();
        await once(server, "close");
    });

    /** Refuses what Ollama refuses: unknown models, and thinking where it is missing. */
    async function answer(request: http.IncomingMessage, response: http.ServerResponse) {
        const text = (await readAll(request)).toString();
        const refuse = (status: number, error: string) =>
            response.writeHead(status).end(JSON.stringify({ error }));
        const models = [...broken, ...Object.keys(SHOWN)].map((name) => ({ name, model: name }));
        if (request.url === "/api/tags") return response.end(JSON.stringify({ models }));
        const body = JSON.parse(text) as ChatRequest;
        const { model, think } = body;
        const shown = SHOWN[model];
        if (shown === undefined) return refuse(404, `model '${model}' not found`);
        if (request.url === "/api/show") return response.end(JSON.stringify(shown));
        if (request.url !== "/api/chat") return refuse(404, "page not found");
        const unknown = Object.keys(body).find((field) => !FIELDS.includes(field));
        if (unknown !== undefined) return refuse(400, `unknown field ${unknown}`);
        if (think !== undefined && !shown.capabilities?.includes("thinking")) {
            return refuse(400, `"${model}" does not support thinking`);
        }
        requests.push(body);
        const lines = script.shift();
        if (lines === undefined) return refuse(500, "after the end of the script");
        response.writeHead(200, { "content-type": "application/x-ndjson" });
        const bytes = Buffer.from(
            lines
                .map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`)
                .join("")
        );
        // In pieces that split lines and characters.
        for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
        return response.end();
    }

    const url = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const settings = () => ({ baseURL: url() });

    async function modelNamed(id: string, provider: Provider = createOllama()) {
        const found = (await provider.discover?.(settings())) ?? [];
        return found.find((model) => model.id === id) as ModelInfo;
    }

    async function read(lines: readonly (object | string)[], request: Partial<ModelRequest> = {}) {
        script = [lines];
        const ollama = createOllama();
        const connection = await ollama.connect(settings());
        const model = request.model ?? (await modelNamed("qwen3:8b"));
        const { signal } = new AbortController();
        const events: ModelEvent[] = [];
        const asked = sampleRequest(ollama, { ...request, model });
        for await (const event of connection.stream(asked, { signal })) events.push(event);
        checkReply(events);
        return events;
    }

    it("The Ollama provider satisfies the provider contract", async () => {
        const ollama = createOllama();
        checkModels(ollama);
        script = [[{ message: { content: "Hi" } }, DONE]];
        const model = await modelNamed("qwen3:8b");
        const requests = [sampleRequest(ollama, { model })];
        await checkProvider(ollama, { connection: settings(), requests });
    });

    it("A server that listens on all addresses is asked on this machine", async () => {
        const { port } = server.address() as AddressInfo;
        for (const baseURL of [`:${port}`, `0.0.0.0:${port}`]) {
            const models = await createOllama().discover?.({ baseURL });
            expect(models, baseURL).to.have.length(3);
        }
    });

    it("Models that chat are listed, each with its own window up to the limit, or what its file says", async () => {
        const windows = async (provider: Provider) =>
            (await provider.discover?.(settings()))?.map(({ contextTokens }) => contextTokens);
        expect(await windows(createOllama())).to.deep.equal([32_768, 4_096, 65_536]);
        const larger = createOllama(100_000);
        expect(await windows(larger)).to.deep.equal([40_960, 4_096, 65_536]);
    });

    it("A setting that counts for nothing is reported", async () => {
        const contributed = async (given: Record<string, unknown>) => {
            const { problems, providers = [] } = await register({ settings: given });
            return { problems, window: providers[0]?.describe?.("any")?.contextTokens };
        };
        expect(await contributed({ contextTokens: 8_192 })).to.deep.equal({
            problems: [],
            window: 8_192,
        });
        expect(await contributed({ contextTokens: "65536", context: 1 })).to.deep.equal({
            problems: [
                "There is no setting context.",
                "contextTokens must be a whole number above 0.",
            ],
            window: 32_768,
        });
    });

    it("A model that the server cannot describe does not hide the others", async () => {
        broken = ["broken:latest"];
        const models = (await createOllama().discover?.(settings())) ?? [];
        expect(models.map(({ id }) => id)).to.deep.equal([
            ...["broken:latest", "qwen3:8b", "llava:7b", "mine:latest"],
        ]);
    });

    it("Fields that are null are absent", async () => {
        const events = await read([
            { message: { content: "Hi", thinking: null, tool_calls: null } },
            { message: { content: null } },
            { ...DONE, prompt_eval_count: null },
        ]);
        expect(events).to.deep.equal([
            { type: "text", text: "Hi" },
            { type: "usage", usage: { inputTokens: 0, outputTokens: 7 } },
            { type: "stop", reason: "end" },
        ]);
    });

    it("The window is asked for with each request, and the model kept loaded", async () => {
        await read([DONE], { maxOutputTokens: 500, thinking: true });
        const [first] = requests;
        expect(first?.options).to.deep.equal({ num_ctx: 32_768, num_predict: 500 });
        expect(first).to.include({ keep_alive: "30m", think: true });
        await read([DONE], { model: await modelNamed("mine:latest") });
        expect(requests[1]?.options).to.include({ num_ctx: 65_536 });
        expect(requests[1]).not.to.have.property("think");
    });

    it("Text, thinking, parallel calls and counts are read from lines in any pieces", async () => {
        const call = (path: string) => ({ function: { name: "read_file", arguments: { path } } });
        const events = await read([
            { message: { thinking: "Größe? 🤔" } },
            { message: { content: "Ich lese: ä" } },
            { message: { content: "", tool_calls: [call("a"), call("b")] } },
            DONE,
        ]);
        const calls = events.flatMap((event) => (event.type === "tool-call" ? [event] : []));
        expect(calls.map(({ input }) => input)).to.deep.equal([{ path: "a" }, { path: "b" }]);
        expect(new Set(calls.map(({ callId }) => callId)).size).to.equal(2);
        const others = events.filter(({ type }) => !type.startsWith("tool-call"));
        expect(others).to.deep.equal([
            { type: "thinking", text: "Größe? 🤔" },
            { type: "thinking-end" },
            { type: "text", text: "Ich lese: ä" },
            { type: "usage", usage: { inputTokens: 26, outputTokens: 7 } },
            { type: "stop", reason: "tool-calls" },
        ]);
    });

    it("Calls and their own thinking are sent back with their results, foreign thinking is not", async () => {
        const ollama = createOllama();
        const made = { function: { name: "read_file", arguments: { path: "a" } } };
        script = [
            [{ message: { thinking: "Hm" } }, { message: { tool_calls: [made] } }, DONE],
            [DONE],
        ];
        const connection = await ollama.connect(settings());
        const request = sampleRequest(ollama, { model: await modelNamed("qwen3:8b") });
        const first = await collect(connection, request, undefined, "ollama");
        const foreign = { type: "thinking", text: "no", provider: "x", model: "y" } as const;
        const message = { ...first.message, content: [foreign, ...first.message.content] };
        const messages = [...request.messages, message, answersTo(message, "one")];
        await collect(connection, { ...request, messages }, undefined, "ollama");
        expect(requests[1]?.messages.slice(-2)).to.deep.equal([
            { role: "assistant", content: "", thinking: "Hm", tool_calls: [made] },
            { role: "tool", content: "one", tool_name: "read_file" },
        ]);
    });

    it("A reply that reached its limit says so, and one without its end is incomplete", async () => {
        const cut = await read([
            { message: { content: "So" } },
            { ...DONE, done_reason: "length" },
        ]);
        expect(cut.at(-1)).to.deep.equal({ type: "stop", reason: "max-output" });
        const error = await failureOf(read([{ message: { content: "So" } }]));
        expect(error).to.include({ code: "incomplete-stream", retryable: true });
    });

    it("Errors are in the server's words, before a reply and inside it", async () => {
        const model = { ...(await modelNamed("qwen3:8b")), id: "gone" };
        const missing = await failureOf(read([DONE], { model }));
        expect(missing.code).to.equal("invalid-request");
        expect(missing.message).to.include("model 'gone' not found");
        const inside = await failureOf(
            read([{ message: { content: "So" } }, { error: "CUDA error" }])
        );
        expect(inside).to.include({ code: "server-error", retryable: true });
        expect(inside.message).to.include("CUDA error");
        const garbled = await failureOf(read(["<html>"]));
        expect(garbled.code).to.equal("incomplete-stream");
    });
});
