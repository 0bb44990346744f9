import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import * as messages from "../test/helpers/vendors/messages-replies.js";
import * as responses from "../test/helpers/vendors/responses-replies.js";
import type { Peer, Protocol } from "./peer-programs.js";

/** A model request; `at` is when it had arrived in full. */
export interface PeerRequest {
    readonly at: number;
    readonly body: string;
}

export interface PeerServer {
    readonly url: string;
    readonly requests: PeerRequest[];
    close(): Promise<void>;
}

const ANSWER = "Done.";
const COUNTS = { input_tokens: 10, output_tokens: 5 };
const NO_CACHE = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

/** Replies with one call per file that reads it, then with a word. */
export async function startPeerServer(
    peer: Peer,
    files: readonly string[],
    onRequest: () => void
): Promise<PeerServer> {
    const requests: PeerRequest[] = [];
    const server = http.createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.once("end", () => {
            const body = Buffer.concat(chunks).toString();
            // Requests for titles, token counts and greetings have no tools.
            const isTurn = request.method === "POST" && /"tools":\s*\[\s*\{/.test(body);
            if (isTurn) {
                requests.push({ at: performance.now(), body });
                onRequest();
            }
            // A different file each time: assistants stop a model that repeats itself.
            const file = isTurn ? files[requests.length - 1] : undefined;
            const id = `call_${requests.length}`;
            const call = file === undefined ? undefined : { id, ...peer.call(file) };
            response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
            response.end(Buffer.concat(events(peer.protocol, call)));
        });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return {
        url: `http://127.0.0.1:${port}`,
        requests,
        async close() {
            server.close();
            server.closeAllConnections();
            await once(server, "close");
        },
    };
}

interface Call {
    readonly id: string;
    readonly name: string;
    readonly input: object;
}

function events(protocol: Protocol, call: Call | undefined): readonly Buffer[] {
    if (protocol === "messages") {
        const block = call
            ? messages.toolUse(call.id, call.name, call.input)
            : messages.text(ANSWER);
        return messages.toEvents(messages.reply(block), "bench", { ...COUNTS, ...NO_CACHE });
    }
    if (protocol === "responses") {
        const block = call
            ? responses.functionCall(call.id, call.name, call.input)
            : responses.text(ANSWER);
        return responses.toEvents(responses.reply(block), "bench");
    }
    const part = call ? { functionCall: { name: call.name, args: call.input } } : { text: ANSWER };
    const content = { role: "model", parts: [part] };
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const frame = { candidates: [{ content, finishReason: "STOP", index: 0 }], usageMetadata };
    return [Buffer.from(`data: ${JSON.stringify(frame)}\r\n\r\n`)];
}
