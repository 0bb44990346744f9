import { expect } from "chai";
import {
    failure,
    type MessagesServer,
    type Reply,
    startMessagesServer,
    text,
} from "../../../helpers/vendors/messages-server.js";
import { connect } from "../../../../src/builtin/providers/anthropic/connect.js";
import { collect, failureOf, requestWith } from "../support.js";
import { PATIENCE_MS } from "../../../helpers/patience.js";

const LIMITS = { requestMs: PATIENCE_MS, silenceMs: PATIENCE_MS };

describe("Anthropic failures", () => {
    let server: MessagesServer;

    async function connectTo(script: readonly Reply[], limits = LIMITS) {
        server = await startMessagesServer({ script });
        return connect({ apiKey: "test-key", baseURL: server.url }, limits);
    }

    async function failureAfter(script: readonly Reply[], limits = LIMITS) {
        return failureOf(collect(await connectTo(script, limits), requestWith()));
    }

    afterEach(async () => {
        await server.close();
    });

    it("A prompt that is too long is recognized", async () => {
        const said = "prompt is too long: 208310 tokens > 200000 maximum";
        const error = await failureAfter([failure(400, "invalid_request_error", said)]);
        expect(error).to.include({ code: "context-overflow", retryable: false });
    });

    it("A model that the vendor does not serve is said not to exist", async () => {
        const error = await failureAfter([
            failure(404, "not_found_error", "model: claude-3-5-haiku-20241022"),
        ]);
        expect(error.message).to.equal(
            "Anthropic refused the request: there is no model claude-3-5-haiku-20241022."
        );
    });

    it("A failure that the vendor calls final is not retryable", async () => {
        const headers = { "x-should-retry": "false" };
        const error = await failureAfter([failure(429, "rate_limit_error", "Spent", headers)]);
        expect(error).to.include({ code: "rate-limited", retryable: false });
    });

    it("An error inside the stream is reported", async () => {
        const streamError = { type: "overloaded_error", message: "Overloaded" };
        const error = await failureAfter([{ blocks: [text("So f")], streamError }]);
        expect(error).to.include({ code: "overloaded", retryable: true });
    });

    it("An error of an unknown type is one of the server's, whatever it is called", async () => {
        const streamError = { type: "constructor", message: "Odd" };
        const error = await failureAfter([{ blocks: [text("So f")], streamError }]);
        expect(error).to.include({ code: "server-error", retryable: true });
    });

    for (const [name, data] of [
        ["no JSON", "out of memory"],
        ["of no known form", '{"type":"error","error":{"type":5,"message":{}}}'],
    ] as const) {
        it(`An error inside the stream that is ${name} is one of the server's`, async () => {
            const body = `event: error\ndata: ${data}\n\n`;
            const page = { status: 200, type: "text/event-stream", body };
            const error = await failureAfter([{ page }]);
            expect(error).to.include({ code: "server-error", retryable: true });
        });
    }

    for (const body of [
        '{"error":"Field required"}',
        '{"message":"Field required"}',
        '{"detail":"Field required"}',
        '{"detail":[{"msg":"Field required"}]}',
    ]) {
        it(`A gateway's error is read: ${body}`, async () => {
            const page = { status: 422, type: "application/json", body };
            const error = await failureAfter([{ page }]);
            expect(error.message).to.match(/^Anthropic refused the request: .*Field required/);
        });
    }

    it("A server without TLS is reported", async () => {
        await connectTo([]);
        const baseURL = server.url.replace("http:", "https:");
        const connection = await connect({ apiKey: "test-key", baseURL }, LIMITS);
        const error = await failureOf(collect(connection, requestWith()));
        expect(error).to.include({ code: "network", retryable: true });
    });
});
