import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

/** One answer: chunks of a stream, or a status with a body. */
export type Answer =
    | { readonly chunks: readonly object[]; readonly isCut?: boolean; readonly hangs?: boolean }
    | { readonly status: number; readonly body: object; readonly headers?: Record<string, string> };

export interface MistralServer {
    readonly url: string;
    readonly bodies: readonly VendorBody[];
    /** Connections that the client gave up before the end of an answer. */
    readonly aborted: number;
    close(): Promise<void>;
}

export interface VendorBody {
    readonly model: string;
    readonly messages: readonly VendorMessage[];
    readonly [field: string]: unknown;
}

interface VendorMessage {
    readonly role: string;
    readonly content?: unknown;
    readonly tool_calls?: readonly { readonly id: string }[];
    readonly tool_call_id?: string;
}

export const KEY = "a-key-of-the-test";

const FIELDS = new Set([
    ...["model", "messages", "max_tokens", "stream", "tools", "reasoning_effort"],
    ...["prompt_cache_key", "safe_prompt"],
]);

/** Mistral's chat completions on loopback, strict where the vendor is. */
export async function startMistralServer(answers: readonly Answer[]): Promise<MistralServer> {
    const left = [...answers];
    const bodies: VendorBody[] = [];
    let aborted = 0;
    const server = http.createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const body: VendorBody = JSON.parse(Buffer.concat(chunks).toString());
        const problem = problemOf(request, body);
        const answer: Answer = problem ?? left.shift() ?? refuse(500, "The script has ended.");
        if (problem === undefined) bodies.push(body);
        if ("status" in answer) {
            const headers = { "content-type": "application/json", ...answer.headers };
            response.writeHead(answer.status, headers).end(JSON.stringify(answer.body));
            return;
        }
        response.on("close", () => {
            if (!response.writableFinished) aborted += 1;
        });
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const chunk of answer.chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
        if (answer.hangs) return;
        if (answer.isCut) response.end();
        else response.end("data: [DONE]\n\n");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return {
        url: `http://127.0.0.1:${port}`,
        bodies,
        get aborted() {
            return aborted;
        },
        close: async () => {
            server.close();
            server.closeAllConnections();
            await once(server, "close");
        },
    };
}

const refuse = (status: number, message: string, type = "invalid_request_error") => ({
    status,
    body: { object: "error", message, type, param: null, code: null },
});

function problemOf(request: http.IncomingMessage, body: VendorBody): Answer | undefined {
    if (request.url !== "/v1/chat/completions") return refuse(404, `no route ${request.url}`);
    if (request.headers.authorization !== `Bearer ${KEY}`) {
        return { status: 401, body: { detail: "Unauthorized" } };
    }
    if (body.stream !== true) return refuse(400, "not a stream");
    const unknown = Object.keys(body).filter((field) => !FIELDS.has(field));
    if (unknown.length > 0) return refuse(422, `Extra inputs: ${unknown.join(", ")}`);
    return orderProblem(body.messages);
}

/** What may follow what, and which results belong to which calls. */
function orderProblem(messages: readonly VendorMessage[]): Answer | undefined {
    let open: string[] = [];
    for (const [index, message] of messages.entries()) {
        const before = messages[index - 1]?.role;
        if (message.role === "user" && before === "tool") {
            return refuse(400, "Unexpected role 'user' after role 'tool'");
        }
        if (message.role === "tool") {
            if (!open.includes(message.tool_call_id ?? "")) {
                return refuse(400, `No call ${message.tool_call_id}`, "invalid_function_call");
            }
            open = open.filter((id) => id !== message.tool_call_id);
            continue;
        }
        if (open.length > 0)
            return refuse(400, "Not the same number of function calls and responses");
        open = (message.tool_calls ?? []).map(({ id }) => id);
        const bad = open.find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
        if (bad) {
            return refuse(
                400,
                `Tool call id was ${bad} but must be a-z, A-Z, 0-9, with a length of 9.`
            );
        }
        const isEmpty = message.content === "" || (message.content as unknown[])?.length === 0;
        if (isEmpty && open.length === 0) return refuse(400, `Empty ${message.role} message`);
    }
    const last = messages.at(-1)?.role;
    return last === "user" || last === "tool" ? undefined : refuse(400, `Last role is ${last}`);
}

/** A chunk of the stream as the vendor writes it. */
export function chunk(delta: object, finishReason: string | null = null, usage?: object): object {
    return {
        id: "cmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: "mistral-medium-2604",
        choices: [{ index: 0, delta, finish_reason: finishReason }],
        ...(usage ? { usage } : {}),
    };
}

export const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
