import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { toEvents, type Reply } from "../test/helpers/vendors/messages-replies.js";

/**
 * A model that answers at once and stores nothing, so that thousands of requests do not slow it.
 */
export interface LeanServer {
    readonly url: string;
    close(): Promise<void>;
}

const COUNTS = {
    input_tokens: 10,
    output_tokens: 5,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
};

/** Calls `answer` when the n-th request (from 1) has arrived. */
export async function startLeanServer(answer: (count: number) => Reply): Promise<LeanServer> {
    let count = 0;
    const server = http.createServer((request, response) => {
        request.resume().once("end", () => {
            count += 1;
            response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
            response.end(Buffer.concat(toEvents(answer(count), "claude-sonnet-5-5", COUNTS)));
        });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return {
        url: `http://127.0.0.1:${port}`,
        close: async () => {
            server.close();
            server.closeAllConnections();
            await once(server, "close");
        },
    };
}
