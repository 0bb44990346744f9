import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { Message, ModelInfo, ModelRequest } from "north-cli/plugin";
import { checkModels, sampleRequest } from "north-cli/plugin-testing";
import {
    answersTo,
    collect,
    failureOf,
    readFile,
} from "../../../test/builtin/providers/support.js";
import {
    type BedrockReply,
    type BedrockServer,
    exception,
    startBedrockServer,
} from "../../../test/helpers/vendors/bedrock-server.js";
import { pngOf } from "../../../test/helpers/images.js";
import { describeModel } from "../src/models.js";
import { bedrock } from "../src/provider.js";

// What it has in common with the other providers is in test/contract/vendors.test.ts.

const KEYS = { AWS_ACCESS_KEY_ID: "AKIATEST", AWS_SECRET_ACCESS_KEY: "a-secret-of-the-test" };
const done: BedrockReply = { blocks: [{ text: "ok" }] };
const call = (callId: string) => ({ callId, name: "read_file", json: '{"path":"a"}' });
const question: Message = { role: "user", content: [{ type: "text", text: "Read it." }] };

function modelOf(id: string): ModelInfo {
    const model = describeModel(id);
    if (model === undefined) throw new Error(`No model ${id}`);
    return model;
}

describe("Bedrock provider", () => {
    let server: BedrockServer | undefined;
    let before: NodeJS.ProcessEnv;

    function environment(changes: Record<string, string>): void {
        const home = mkdtempSync(path.join(tmpdir(), "aws-"));
        for (const name of Object.keys(process.env)) {
            if (name.startsWith("AWS_")) delete process.env[name];
        }
        Object.assign(process.env, {
            ...{ AWS_REGION: "eu-central-1", AWS_EC2_METADATA_DISABLED: "true" },
            AWS_CONFIG_FILE: path.join(home, "config"),
            AWS_SHARED_CREDENTIALS_FILE: path.join(home, "credentials"),
            ...changes,
        });
    }

    beforeEach(() => {
        before = { ...process.env };
        environment(KEYS);
    });
    afterEach(async () => {
        await server?.close();
        server = undefined;
        for (const name of Object.keys(process.env)) {
            if (name.startsWith("AWS_")) delete process.env[name];
        }
        Object.assign(process.env, before);
    });

    async function connectTo(...script: readonly BedrockReply[]) {
        await server?.close();
        server = await startBedrockServer({ script });
        return bedrock.connect({ baseURL: server.url });
    }

    async function read(reply: BedrockReply, changes: Partial<ModelRequest> = {}) {
        const connection = await connectTo(reply);
        return collect(connection, sampleRequest(bedrock, changes), undefined, "bedrock");
    }

    const failing = (reply: BedrockReply) => failureOf(read(reply));
    const sent = (index = 0) => server?.requests[index]?.body;

    it("Requests are signed with the environment's keys for the region", async () => {
        await read(done);
        expect(server?.requests[0]?.headers.authorization).to.match(
            /^AWS4-HMAC-SHA256 Credential=AKIATEST\/\d{8}\/eu-central-1\/bedrock\/aws4_request/
        );
        server?.assertDone();
    });

    it("A profile gives the keys and the region", async () => {
        environment({ AWS_PROFILE: "work" });
        delete process.env.AWS_REGION;
        writeFileSync(
            process.env.AWS_CONFIG_FILE ?? "",
            "[profile work]\nregion = us-west-2\naws_access_key_id = AKIAWORK\naws_secret_access_key = x\n"
        );
        await read(done);
        expect(server?.requests[0]?.headers.authorization).to.match(
            /Credential=AKIAWORK\/\d{8}\/us-west-2\//
        );
    });

    it("A Bedrock API key in the environment is sent instead of a signature", async () => {
        environment({ AWS_BEARER_TOKEN_BEDROCK: "a-bedrock-key" });
        await read(done);
        expect(server?.requests[0]?.headers.authorization).to.equal("Bearer a-bedrock-key");
    });

    it("Missing credentials and a missing region each name what to set", async () => {
        environment({});
        const error = await failing(done);
        expect(error.code).to.equal("authentication");
        expect(error.message).to.match(/^There are no AWS credentials: /);
        expect(error.nextSteps.join(" ")).to.include("aws sso login").and.include("AWS_PROFILE");
        environment(KEYS);
        delete process.env.AWS_REGION;
        const lost = await failing(done);
        expect(lost.message).to.equal("The AWS region is not known.");
        expect(lost.nextSteps.join(" ")).to.include("AWS_REGION");
    });

    it("Tools, system prompt and the ends of both requests are cached, with exact counts", async () => {
        const usage = {
            ...{ inputTokens: 3, outputTokens: 7, totalTokens: 1_110 },
            ...{ cacheReadInputTokens: 1_000, cacheWriteInputTokens: 100 },
            cacheDetails: [{ ttl: "1h", inputTokens: 40 }],
        };
        const connection = await connectTo({ blocks: [call("a")] }, { ...done, usage });
        const first = await collect(
            connection,
            sampleRequest(bedrock, { messages: [question], tools: [readFile] }),
            undefined,
            "bedrock"
        );
        const messages = [question, first.message, answersTo(first.message)];
        const second = sampleRequest(bedrock, { messages, tools: [readFile], hasPauses: true });
        const { usage: counted } = await collect(connection, second, undefined, "bedrock");
        expect(counted).to.deep.equal({
            ...{ inputTokens: 3, outputTokens: 7, cacheReadTokens: 1_000 },
            ...{ cacheWriteTokens: 60, cacheWriteLongTokens: 40 },
        });
        const point = { cachePoint: { type: "default", ttl: "1h" } };
        expect(sent(1)?.system?.at(-1)).to.deep.equal(point);
        expect(
            sent(1)?.messages.map(({ content }) => "cachePoint" in (content.at(-1) ?? {}))
        ).to.deep.equal([true, false, true]);
        server?.assertDone();
    });

    it("A request that nothing extends, or of a model without a cache, has no cache point", async () => {
        await read(done, { isOneOff: true });
        expect(JSON.stringify(sent())).not.to.include("cachePoint");
        await read(done, { model: modelOf("meta.llama3-3-70b-instruct-v1:0") });
        expect(JSON.stringify(sent())).not.to.include("cachePoint");
    });

    it("Thinking with signatures and redacted thinking go back, unless what came before changed", async () => {
        const connection = await connectTo(
            { blocks: [{ thought: "Hm.", signature: "c2ln" }, { redacted: "eHg=" }, call("a")] },
            done,
            done
        );
        const ask = (messages: readonly Message[], system = "You are being tested.") =>
            collect(
                connection,
                sampleRequest(bedrock, { messages, system, tools: [readFile], thinking: true }),
                undefined,
                "bedrock"
            );
        const { message } = await ask([question]);
        const messages = [question, message, answersTo(message)];
        await ask(messages);
        expect(sent(1)?.messages[1]?.content.slice(0, 2)).to.deep.equal([
            { reasoningContent: { reasoningText: { text: "Hm.", signature: "c2ln" } } },
            { reasoningContent: { redactedContent: "eHg=" } },
        ]);
        await ask(messages, "Another prompt.");
        expect(JSON.stringify(sent(2))).not.to.include("reasoningContent");
        server?.assertDone();
    });

    it("A model with a thinking budget is asked with it, and not in the middle of a turn without", async () => {
        const model = modelOf("us.anthropic.claude-haiku-4-5-20251001-v1:0");
        const connection = await connectTo({ blocks: [call("a")] }, done, done);
        const ask = (messages: readonly Message[], thinking: boolean) => {
            const parts = { model, messages, thinking, tools: [readFile], maxOutputTokens: 8_000 };
            return collect(connection, sampleRequest(bedrock, parts), undefined, "bedrock");
        };
        const { message } = await ask([question], false);
        await ask([question, message, answersTo(message)], true);
        await ask([question], true);
        const fields = [0, 1, 2].map((index) => sent(index)?.additionalModelRequestFields);
        expect(fields).to.deep.equal([
            undefined,
            undefined,
            { thinking: { type: "enabled", budget_tokens: 4_000 } },
        ]);
        server?.assertDone();
    });

    it("Images and PDFs are sent, also those of results", async () => {
        const image = { type: "image", mediaType: "image/gif", data: "aWNvbg==" } as const;
        const pdf = { type: "document", mediaType: "application/pdf", data: "cGRm" } as const;
        const callId = "a b"; // Not an id of this vendor.
        const result = {
            type: "tool-result",
            callId,
            name: "x",
            content: "",
            isError: true,
        } as const;
        await read(done, {
            tools: [readFile],
            messages: [
                { role: "user", content: [image] },
                {
                    role: "assistant",
                    content: [{ type: "tool-call", callId, name: "x", input: {} }],
                },
                { role: "tool", content: [{ ...result, media: [pdf, image] }] },
                question,
            ],
        });
        server?.assertDone();
        const [first, , last] = sent()?.messages ?? [];
        expect(JSON.stringify(first?.content)).to.include('"format":"gif"');
        expect(JSON.stringify(last?.content)).to.include('"format":"pdf"').and.include("Read it.");
    });

    it("A 21st image leaves out the oldest ten, if one is so large that Claude would refuse all", async () => {
        const data = pngOf(2_001, 1_000).toString("base64");
        const image = { type: "image", mediaType: "image/png", data } as const;
        const content = Array.from({ length: 21 }, () => image);
        await read(done, { messages: [{ role: "user", content }] });
        server?.assertDone();
        const text = JSON.stringify(sent()?.messages);
        expect(text.split('"format":"png"')).to.have.length(1 + 11);
        expect(text.split("only the newest 20 images")).to.have.length(1 + 10);
    });

    it("Of more than five documents the newest are sent, and the model learns of the others", async () => {
        const calls = [1, 2, 3, 4, 5, 6, 7].map((n) => ({
            callId: `call_${n}`,
            name: "read_file",
        }));
        const pdfOf = (n: string) =>
            ({
                type: "document",
                mediaType: "application/pdf",
                data: `cGRm${n.at(-1)}AAA`,
            }) as const;
        await read(done, {
            tools: [readFile],
            messages: [
                question,
                {
                    role: "assistant",
                    content: calls.map((call) => ({ type: "tool-call", ...call, input: {} })),
                },
                {
                    role: "tool",
                    content: calls.map((call) => ({
                        ...{ type: "tool-result", ...call, content: "Read.", isError: false },
                        media: [pdfOf(call.callId)],
                    })),
                },
            ],
        });
        server?.assertDone();
        const results = JSON.stringify(sent()?.messages.at(-1));
        expect(results.match(/cGRm\dAAA/g)?.map((data) => data[4])).to.deep.equal([..."34567"]);
        expect(results.split("only the newest 5 documents")).to.have.length(3);
    });

    for (const [type, code] of [
        ["throttlingException", "rate-limited"],
        ["serviceUnavailableException", "overloaded"],
        ["modelStreamErrorException", "server-error"],
        ["internalServerException", "server-error"],
    ] as const) {
        it(`A ${type} inside a stream is reported as ${code}`, async () => {
            const error = await failing({ ...done, exception: { type, message: "Its words" } });
            expect(error).to.include({ code, retryable: true });
            expect(error.message).to.include("Its words");
        });
    }

    for (const [status, type, said, expected, step] of [
        [
            400,
            "ValidationException",
            "Input is too long for requested model.",
            { code: "context-overflow" },
            /new/,
        ],
        [
            429,
            "ThrottlingException",
            "Too many tokens per day, please wait",
            { code: "rate-limited", retryable: false },
            /\/model/,
        ],
        [
            429,
            "ModelNotReadyException",
            "The model is not ready",
            { code: "rate-limited", retryable: true },
            /./,
        ],
        [
            424,
            "ModelErrorException",
            "The model failed",
            { code: "server-error", retryable: true },
            /./,
        ],
        [
            403,
            "ExpiredTokenException",
            "The security token has expired",
            { code: "authentication" },
            /aws sso login/,
        ],
        [
            403,
            "AccessDeniedException",
            "You don't have access",
            { code: "authentication" },
            /Bedrock console/,
        ],
        [
            400,
            "ValidationException",
            "Invocation of model ID x with on-demand throughput isn’t supported.",
            { code: "invalid-request" },
            /inference profile/,
        ],
    ] as const) {
        it(`A ${type} that says "${said}" names its next step`, async () => {
            const error = await failing({ failure: { status, ...exception(type, said) } });
            expect(error).to.include(expected);
            expect(error.nextSteps.join(" ")).to.match(step);
        });
    }

    it("A profile of a region costs a tenth more than the global one", () => {
        checkModels(bedrock);
        const { prices } = modelOf("global.anthropic.claude-sonnet-5-5");
        expect(prices).to.include({ input: 2, output: 10, cacheRead: 0.1, isUnconfirmed: true });
        const { prices: regional } = modelOf("eu.anthropic.claude-sonnet-5-5");
        expect(regional).to.include({ input: 2.2, output: 11, cacheRead: 0.11 });
        expect(
            modelOf("arn:aws:bedrock:us-east-1:1:application-inference-profile/x")
        ).not.to.have.property("prices");
    });
});
