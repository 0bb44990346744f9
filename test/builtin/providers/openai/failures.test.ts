import { expect } from "chai";
import {
    failure,
    functionCall,
    type ResponsesReply,
    type ResponsesServer,
    startResponsesServer,
    text,
} from "../../../helpers/vendors/responses-server.js";
import { failureOf } from "../support.js";
import { collect, connectTo, LIMITS } from "./support.js";

describe("OpenAI failures", () => {
    let server: ResponsesServer;

    async function start(script: readonly ResponsesReply[], limits = LIMITS) {
        server = await startResponsesServer({ script });
        return connectTo(server.url, limits);
    }

    async function failureAfter(script: readonly ResponsesReply[], limits = LIMITS) {
        return failureOf(collect(await start(script, limits)));
    }

    afterEach(async () => {
        await server.close();
    });

    for (const [status, code, expected, retryable] of [
        [400, "invalid_value", "invalid-request", false],
        [400, "context_length_exceeded", "context-overflow", false],
        [401, "invalid_api_key", "authentication", false],
        [403, "unsupported_country_region_territory", "authentication", false],
        [404, "model_not_found", "invalid-request", false],
        [408, null, "timeout", true],
        [413, null, "context-overflow", false],
        [429, "rate_limit_exceeded", "rate-limited", true],
        [429, "insufficient_quota", "rate-limited", false],
        [500, "server_error", "server-error", true],
        [502, null, "server-error", true],
        [503, "server_is_overloaded", "overloaded", true],
    ] as const) {
        it(`Status ${status} with ${code ?? "no code"} is reported as ${expected}`, async () => {
            const error = { message: "The vendor's words", code };
            const found = await failureAfter([failure(status, error)]);
            expect(found).to.include({ code: expected, retryable });
            expect(found.message).to.include("The vendor's words");
            expect(server.requests).to.have.length(1);
        });
    }

    it("A spent quota points to billing", async () => {
        const error = await failureAfter([failure(429, { code: "insufficient_quota" })]);
        expect(error.nextSteps.join(" ")).to.include("billing");
    });

    for (const [code, expected, retryable] of [
        ["server_error", "server-error", true],
        ["rate_limit_exceeded", "rate-limited", true],
        ["insufficient_quota", "rate-limited", false],
        ["context_length_exceeded", "context-overflow", false],
        ["invalid_prompt", "invalid-request", false],
        ["never_heard_of", "server-error", true],
        ["constructor", "server-error", true],
    ] as const) {
        it(`A reply that failed with ${code} is reported as ${expected}`, async () => {
            const error = { code, message: "The vendor's words" };
            const found = await failureAfter([{ blocks: [text("So")], status: "failed", error }]);
            expect(found).to.include({ code: expected, retryable });
            expect(found.message).to.include("The vendor's words");
        });
    }

    for (const [name, streamError] of [
        ["flat", { code: "rate_limit_exceeded", message: "Slow down", param: null }],
        ["nested", { error: { code: "rate_limit_exceeded", message: "Slow down" } }],
    ] as const) {
        it(`A ${name} error inside the stream is reported`, async () => {
            const error = await failureAfter([{ blocks: [text("So f")], streamError }]);
            expect(error).to.include({ code: "rate-limited", retryable: true });
            expect(error.message).to.include("Slow down");
        });
    }

    for (const code of ["image_too_large", "invalid_base64_image", "bio_policy"]) {
        it(`A request that failed with ${code} is never retried`, async () => {
            const streamError = { code, message: "Not this", param: null };
            const error = await failureAfter([{ blocks: [], streamError }]);
            expect(error).to.include({ code: "invalid-request", retryable: false });
        });
    }

    for (const [name, broken] of [
        ["ends before the reply does", { blocks: [text("So")], status: null }],
        [
            "ends inside a call",
            {
                blocks: [functionCall("call_1", "read_file", { path: "a" })],
                interruption: { afterEvents: 4, how: "end" },
            },
        ],
        [
            "is called complete inside a call",
            { blocks: [functionCall("call_1", "read_file", '{"path": "a', true)] },
        ],
        ["is empty", { interruption: { afterEvents: 0, how: "end" } }],
    ] as const satisfies readonly (readonly [string, ResponsesReply])[]) {
        it(`A stream that ${name} is incomplete`, async () => {
            const error = await failureAfter([broken]);
            expect(error).to.include({ code: "incomplete-stream", retryable: true });
        });
    }
});
