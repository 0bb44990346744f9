import * as fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect } from "chai";
import { Workplace } from "../helpers/north-program.js";
import { patient } from "../helpers/patience.js";

/** In seconds. */
const LIMIT = String(patient(60_000) / 1_000);

interface Request {
    readonly messages: readonly { readonly role: string }[];
    readonly tools?: readonly unknown[];
}

type Block = Record<string, unknown>;

const sse = (event: { readonly type: string; readonly [key: string]: unknown }) =>
    `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const started = (input: number) =>
    sse({
        type: "message_start",
        message: {
            ...{ id: "m", type: "message", role: "assistant", model: "x", content: [] },
            usage: { input_tokens: input, output_tokens: 1 },
        },
    });

/** A reply of one block, as the vendor streams it. */
function streamed(block: Block, delta: Block, stop: string, [input, output]: [number, number]) {
    return [
        started(input),
        sse({ type: "content_block_start", index: 0, content_block: block }),
        sse({ type: "content_block_delta", index: 0, delta }),
        sse({ type: "content_block_stop", index: 0 }),
        sse({
            type: "message_delta",
            delta: { stop_reason: stop },
            usage: { output_tokens: output },
        }),
        sse({ type: "message_stop" }),
    ].join("");
}

const said = (text: string, usage: [number, number]) =>
    streamed({ type: "text", text: "" }, { type: "text_delta", text }, "end_turn", usage);

const called = (name: string, input: Block, usage: [number, number]) =>
    streamed(
        { type: "tool_use", id: `toolu_${usage.join("_")}`, name, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(input) },
        "tool_use",
        usage
    );

describe("A conversation and what a model may fill it with", () => {
    let place: Workplace;
    let server: http.Server | undefined;
    let bodies: string[];
    beforeEach(() => {
        place = new Workplace({ "a.txt": "a\n" }).reusingProcess();
        bodies = [];
    });
    afterEach(async () => {
        server?.closeAllConnections();
        server?.close();
        await place.remove();
    });

    /** Serves replies, and runs a turn in print mode against them. */
    async function turn(
        answer: (request: Request, tokens: number, response: http.ServerResponse) => void
    ) {
        server = http.createServer((request, response) => {
            const chunks: Buffer[] = [];
            response.on("error", () => {});
            request.on("data", (chunk: Buffer) => chunks.push(chunk));
            request.on("end", () => {
                const body = Buffer.concat(chunks).toString();
                if (body === "") return void response.writeHead(404).end();
                bodies.push(body);
                answer(JSON.parse(body) as Request, Math.ceil(body.length / 4), response);
            });
        });
        await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
        const { port } = server.address() as AddressInfo;
        return place.run(["-p", "go", "--model", "claude-opus-4-5", "--timeout", LIMIT], {
            env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` },
        });
    }

    const ok = (response: http.ServerResponse, text: string) =>
        response.writeHead(200, { "content-type": "text/event-stream" }).end(text);

    const logged = () => {
        const folder = path.join(place.home, ".north", "conversations");
        const [log = ""] = fs.readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
        return fs.statSync(path.join(folder, log)).size;
    };

    it("A tool input that was refused counts as what is kept in its place", async () => {
        const end = await turn(({ messages, tools = [] }, tokens, response) => {
            const isFirst = tools.length > 0 && !messages.some(({ role }) => role === "assistant");
            const input = { path: "x".repeat(900_000) };
            const usage: [number, number] = [tokens, isFirst ? 225_000 : 1];
            ok(response, isFirst ? called("todo_write", input, usage) : said("fine", usage));
        });
        expect(end.stderr).not.to.contain("summariz");
        expect(end.code, end.stderr).to.equal(0);
        expect(end.stdout).to.equal("fine\n");
        expect(bodies).to.have.length(2);
    });

    for (const named of [" > 15000 maximum", ""]) {
        it(`A prompt is shortened as often as a server finds it too long${named}`, () =>
            readAll(named));
    }

    async function readAll(named: string): Promise<void> {
        const line = "word word word word word word word word word word";
        const files = Array.from({ length: 14 }, (_file, index) => `big${index + 1}.txt`);
        for (const name of files) {
            const lines = Array.from({ length: 190 }, (_line, index) => `${line} ${index}`);
            fs.writeFileSync(place.place(name), `${lines.join("\n")}\n`);
        }
        let reads = 0;
        let refusals = 0;
        const end = await turn(({ tools = [] }, tokens, response) => {
            if (tokens > 15_000) {
                refusals += 1;
                const message = `prompt is too long: ${tokens} tokens${named}`;
                const error = { type: "invalid_request_error", message };
                response.writeHead(400, { "content-type": "application/json" });
                return void response.end(JSON.stringify({ type: "error", error }));
            }
            const summary =
                '{"goal":"read","decisions":[],"constraints":[],"openTasks":[],"importantFiles":[]}';
            if (tools.length === 0) return void ok(response, said(summary, [tokens, 30]));
            if (reads === files.length) return void ok(response, said("all read", [tokens, 3]));
            const file = files[(reads += 1) - 1] ?? "";
            ok(response, called("read_file", { path: file }, [tokens, 30]));
        });
        expect(end.code, end.stderr).to.equal(0);
        expect(end.stdout).to.equal("all read\n");
        expect(end.stderr.match(/messages summarized/g)?.length, end.stderr).to.be.above(1);
        // A size that was named once is remembered.
        if (named !== "") expect(refusals, end.stderr).to.equal(1);
    }

    it("A reply without end is stopped, and its beginning is all that is kept", async () => {
        const text = "lorem ipsum ".repeat(5_000);
        const delta = { type: "text_delta", text };
        const piece = sse({ type: "content_block_delta", index: 0, delta });
        const end = await turn((_request, _tokens, response) => {
            response.writeHead(200, { "content-type": "text/event-stream" });
            response.write(started(1));
            const block = { type: "text", text: "" };
            response.write(sse({ type: "content_block_start", index: 0, content_block: block }));
            const more = () => {
                while (!response.destroyed) {
                    if (!response.write(piece)) return void response.once("drain", more);
                }
            };
            more();
        });
        expect(end.code).to.equal(1);
        expect(end.stderr).to.contain("The reply exceeded 4 MB.");
        expect(bodies).to.have.length(1);
        expect(logged()).to.be.below(6_000_000);
        server?.closeAllConnections();
        server?.close();
        // What is sent of it when the conversation goes on.
        const [id = ""] = place.conversationIds();
        server = http.createServer((request, response) => {
            const chunks: Buffer[] = [];
            request.on("data", (chunk: Buffer) => chunks.push(chunk));
            request.on("end", () => {
                bodies.push(Buffer.concat(chunks).toString());
                ok(response, said("fine", [10, 1]));
            });
        });
        await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
        const { port } = server.address() as AddressInfo;
        const again = await place.run(
            ["-p", "go on", "--resume", id, "--model", "claude-opus-4-5", "--timeout", LIMIT],
            { env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` } }
        );
        expect(again.code, again.stderr).to.equal(0);
        expect(again.stderr).not.to.contain("summariz");
        expect(bodies.at(-1)?.length).to.be.below(200_000);
    });
});
