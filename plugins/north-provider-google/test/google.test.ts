import { expect } from "chai";
import type { Message, ModelEvent, ModelInfo, ModelRequest } from "north-cli/plugin";
import { checkModels, checkReply, sampleRequest } from "north-cli/plugin-testing";
import { answersTo, collect, failureOf } from "../../../test/builtin/providers/support.js";
import {
    googleError,
    type GoogleReply,
    type GoogleServer,
    startGoogleServer,
    USAGE,
} from "../../../test/helpers/vendors/google-server.js";
import { describeModel, googleModels } from "../src/models.js";
import { google } from "../src/provider.js";

// What it has in common with the other providers is in test/contract/vendors.test.ts.

const apiKey = "a-key-of-the-test";
const done: GoogleReply = { parts: [{ text: "ok" }] };
const call = (id: string, path: string) => ({
    functionCall: { id, name: "read_file", args: { path } },
});

describe("Google provider", () => {
    let server: GoogleServer;

    afterEach(async () => {
        await server.close();
    });

    async function connectTo(...script: readonly GoogleReply[]) {
        server = await startGoogleServer({ script, apiKey });
        // With or without the version: users paste either.
        return google.connect({ apiKey, baseURL: `${server.url}/v1beta/` });
    }

    async function read(reply: GoogleReply, request: Partial<ModelRequest> = {}) {
        const connection = await connectTo(reply);
        const events: ModelEvent[] = [];
        const { signal } = new AbortController();
        const asked = sampleRequest(google, request);
        for await (const event of connection.stream(asked, { signal })) events.push(event);
        checkReply(events);
        return events;
    }

    async function failing(failure: GoogleReply["failure"]) {
        const connection = await connectTo({ failure });
        const error = await failureOf(
            collect(connection, sampleRequest(google), undefined, "google")
        );
        return error;
    }

    it("Searches of the web are reported with their sources, and each query is counted once", async () => {
        const chunk = (part: object, rest: object = {}) => ({
            candidates: [{ content: { role: "model", parts: [part] }, index: 0, ...rest }],
        });
        const grounded = (queries: readonly string[], ...uris: readonly string[]) => ({
            groundingMetadata: {
                webSearchQueries: queries,
                groundingChunks: [...uris.map((uri) => ({ web: { uri, title: "a.org" } })), {}],
            },
        });
        const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5 };
        const asked = { tools: [], webSearch: { maxSearches: 3 } };
        const events = await read(
            {
                chunks: [
                    chunk({ text: "Looking", thought: true }, grounded(["node lts", ""])),
                    chunk(
                        { text: "Node 24." },
                        grounded(["node lts", "node 24"], "https://a.org/")
                    ),
                    { ...chunk({ text: "" }, { finishReason: "STOP" }), usageMetadata },
                ],
            },
            asked
        );
        expect(server.requests[0]?.body.tools).to.deep.equal([{ googleSearch: {} }]);
        expect(events.filter(({ type }) => type === "web-search")).to.deep.equal([
            { type: "web-search", queries: ["node lts"], sources: [] },
            {
                ...{ type: "web-search", queries: ["node 24"] },
                sources: [{ url: "https://a.org/", title: "a.org" }],
            },
        ]);
        const usage = events.findLast((event) => event.type === "usage")?.usage;
        expect(usage).to.deep.include({ inputTokens: 10, outputTokens: 5, webSearches: 2 });
    });

    it("Signatures go back with the parts that they came with, through a whole turn", async () => {
        const connection = await connectTo(
            { parts: [{ ...call("a", "x"), thoughtSignature: "c2lnMQ==" }, call("b", "y")] },
            { parts: [{ ...call("c", "z"), thoughtSignature: "c2lnMg==" }] },
            { parts: [{ text: "Both read.", thoughtSignature: "c2lnMw==" }] },
            done
        );
        const messages: Message[] = [...sampleRequest(google).messages];
        const ask = async () => {
            const request = sampleRequest(google, { messages: structuredClone(messages) });
            const { message } = await collect(connection, request, undefined, "google");
            messages.push(message);
            const answers = answersTo(message);
            if (answers.content.length > 0) messages.push(answers);
        };
        for (let step = 0; step < 3; step += 1) await ask();
        messages.push({ role: "user", content: [{ type: "text", text: "And?" }] });
        await ask();
        // Strict: a signature that is missing, or at another part, is a 400.
        server.assertDone();
        const sent = server.requests
            .at(-1)
            ?.body.contents.flatMap(({ parts }) =>
                parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? [])
            );
        expect(sent).to.deep.equal(["c2lnMQ==", "c2lnMg==", "c2lnMw=="]);
    });

    it("Each request begins with the bytes of the one before", async () => {
        const connection = await connectTo({ parts: [call("a", "x")] }, done);
        const request = sampleRequest(google);
        const first = await collect(connection, request, undefined, "google");
        const messages = [...request.messages, first.message, answersTo(first.message)];
        await collect(connection, sampleRequest(google, { messages }), undefined, "google");
        const [before, after] = server.requests.map(({ raw }) => raw.toString());
        expect(after).to.satisfy((text: string) => text.startsWith(before?.slice(0, -2) ?? "?"));
    });

    it("A conversation of another vendor is accepted in the middle of a turn", async () => {
        const callId = "toolu_01VpEm654HvfMoRcrE3Hgdc6";
        const name = "read.file!";
        await read(done, {
            messages: [
                { role: "user", content: [{ type: "text", text: "Read a." }] },
                {
                    role: "assistant",
                    content: [
                        { type: "thinking", text: "x", provider: "anthropic", model: "claude" },
                        { type: "tool-call", callId, name, input: { path: "a" } },
                    ],
                },
                {
                    role: "tool",
                    content: [{ type: "tool-result", callId, name, content: "no", isError: true }],
                },
            ],
        });
        const [, reply, results] = server.requests[0]?.body.contents ?? [];
        expect(reply?.parts).to.deep.equal([
            {
                functionCall: { id: callId, name: "read_file_", args: { path: "a" } },
                thoughtSignature: "skip_thought_signature_validator",
            },
        ]);
        expect(results?.parts[0]?.functionResponse).to.deep.include({ response: { error: "no" } });
        server.assertDone();
    });

    it("Images and PDFs are sent, also those of results, but no GIF", async () => {
        const image = (mediaType: string) =>
            ({ type: "image", mediaType, data: "aWNvbg==" }) as const;
        const media = [
            image("image/png"),
            image("image/gif"),
            { type: "document", mediaType: "application/pdf", data: "cGRm" } as const,
        ];
        const callId = "a";
        const name = "read_file";
        await read(done, {
            messages: [
                {
                    role: "user",
                    content: [image("image/webp"), image("image/gif"), { type: "text", text: "?" }],
                },
                {
                    role: "assistant",
                    content: [{ type: "tool-call", callId, name, input: {} }],
                },
                {
                    role: "tool",
                    content: [
                        { type: "tool-result", callId, name, content: "{}", isError: false, media },
                    ],
                },
            ],
        });
        const [question, , results] = server.requests[0]?.body.contents ?? [];
        expect(question?.parts).to.deep.equal([
            { inlineData: { mimeType: "image/webp", data: "aWNvbg==" } },
            { text: "[Image: GIF, which Gemini cannot read]" },
            { text: "?" },
        ]);
        expect(results?.parts[0]?.functionResponse).to.have.deep.property("parts", [
            { inlineData: { mimeType: "image/png", data: "aWNvbg==" } },
            { inlineData: { mimeType: "application/pdf", data: "cGRm" } },
        ]);
        server.assertDone();
    });

    for (const [name, request, expected] of [
        ["off", { thinking: false }, { includeThoughts: false, thinkingLevel: "low" }],
        ["on", { thinking: true }, { includeThoughts: true }],
        [
            "high",
            { thinking: true, effort: "high" },
            { includeThoughts: true, thinkingLevel: "high" },
        ],
    ] as const) {
        it(`Thinking that is ${name} is asked for as Gemini 3 takes it`, async () => {
            await read(done, request);
            const config = server.requests[0]?.body.generationConfig;
            expect(config?.thinkingConfig).to.deep.equal(expected);
        });
    }

    it("Cached tokens are counted once, and thinking as output", async () => {
        const usage = {
            promptTokenCount: 5_000,
            cachedContentTokenCount: 4_096,
            candidatesTokenCount: 20,
            thoughtsTokenCount: 300,
            totalTokenCount: 5_320,
        };
        const events = await read({ ...done, usage });
        expect(events.find(({ type }) => type === "usage")).to.deep.equal({
            type: "usage",
            usage: {
                inputTokens: 904,
                cacheReadTokens: 4_096,
                cacheWriteTokens: 0,
                outputTokens: 320,
            },
        });
    });

    for (const [name, reply, tier] of [
        ["its counts name flex", { usage: { ...USAGE, serviceTier: "flex" } }, "flex"],
        ["its header names flex", { headers: { "x-gemini-service-tier": "flex" } }, "flex"],
        ["its counts name standard", { usage: { ...USAGE, serviceTier: "standard" } }, undefined],
        ["it names none", {}, undefined],
    ] as const) {
        it(`A flex request is charged as ${tier ?? "standard"} if ${name}`, async () => {
            const events = await read({ ...done, ...reply }, { tier: "flex" });
            expect(server.requests[0]?.body.service_tier).to.equal("flex");
            const usage = events.findLast(({ type }) => type === "usage");
            expect(usage).to.have.property("type", "usage");
            expect(usage && "tier" in usage ? usage.tier : undefined).to.equal(tier);
        });
    }

    it("Only a flex request names a tier, and flex costs half in every price band", async () => {
        await read(done);
        expect(server.requests[0]?.body).to.not.have.property("service_tier");
        const { input = 0, above, flex } = modelNamed("gemini-3.1-pro-preview").prices ?? {};
        expect([flex?.input, flex?.above?.prices.output]).to.deep.equal([
            input / 2,
            (above?.prices.output ?? 0) / 2,
        ]);
    });

    it("The delay before a retry is read from the error's details", async () => {
        const details = [
            { violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }] },
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "21.6s" },
        ];
        const error = await failing({ status: 429, error: googleError(429, "Quota", details) });
        expect(error).to.include({ code: "rate-limited", retryable: true, retryAfterMs: 21_600 });
    });

    it("A used-up quota of the day is not retried, although the error names a delay", async () => {
        const quotaId = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";
        const details = [{ violations: [{ quotaId }] }, { retryDelay: "22s" }];
        const error = await failing({ status: 429, error: googleError(429, "Quota", details) });
        expect(error).to.include({ code: "rate-limited", retryable: false });
        expect(error.nextSteps.join(" ")).to.include("another model").and.include("billing");
    });

    it("A prompt that exceeds the window is an overflow", async () => {
        const said = "The input token count exceeds the maximum number of tokens allowed 1048576.";
        const error = await failing({ status: 400, error: googleError(400, said) });
        expect(error.code).to.equal("context-overflow");
    });

    it("An error inside a stream is reported, also if it names a retry", async () => {
        const overloaded = { error: googleError(503, "The model is overloaded.") };
        const chunks = [{ candidates: [{ content: { parts: [{ text: "So" }] } }] }, overloaded];
        const connection = await connectTo({ chunks });
        const error = await failureOf(
            collect(connection, sampleRequest(google), undefined, "google")
        );
        expect(error).to.include({ code: "overloaded", retryable: true });
    });

    it("A blocked prompt is refused, and an unknown finish reason is named", async () => {
        const blocked = await read({ chunks: [{ promptFeedback: { blockReason: "SAFETY" } }] });
        expect(blocked.at(-1)).to.include({ type: "stop", reason: "refused" });
        await server.close();
        const malformed = await read({ ...done, finishReason: "MALFORMED_FUNCTION_CALL" });
        expect(malformed.at(-1)).to.deep.equal({
            type: "stop",
            reason: "end",
            detail: "MALFORMED_FUNCTION_CALL",
        });
    });

    it("Calls without ids, as older models make them, get ids of their own", async () => {
        const part = { functionCall: { name: "read_file" } };
        const events = await read({ parts: [part, part] }, { model: modelNamed("gemini-2.5-pro") });
        const calls = events.flatMap((event) => (event.type === "tool-call" ? [event] : []));
        expect(calls.map(({ name, input }) => [name, input])).to.deep.equal([
            ["read_file", {}],
            ["read_file", {}],
        ]);
        expect(new Set(calls.map(({ callId }) => callId)).size).to.equal(2);
        expect(server.requests[0]?.body.generationConfig).not.to.have.property("thinkingConfig");
    });

    it("Models have the prices of the day, and only Gemini models are recognized", async () => {
        server = await startGoogleServer({ script: [] });
        checkModels(google);
        const priceOn = (day: string) => googleModels(new Date(day))[0]?.prices?.input;
        expect([priceOn("2026-12-31T23:59:59Z"), priceOn("2027-01-01")]).to.deep.equal([0.75, 1.5]);
        const unlisted = describeModel("gemini-4-pro");
        expect(unlisted).to.include({ id: "gemini-4-pro" }).and.not.have.property("prices");
        expect(describeModel("gpt-5")).to.equal(undefined);
    });

    function modelNamed(id: string): ModelInfo {
        return google.models.find((model) => model.id === id)!;
    }
});
