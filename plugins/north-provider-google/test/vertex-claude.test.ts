import { expect } from "chai";
import type { Message, ModelInfo, ModelRequest } from "north-cli/plugin";
import { checkModels, sampleRequest } from "north-cli/plugin-testing";
import { answersTo, collect, failureOf } from "../../../test/builtin/providers/support.js";
import { restoreEnvironment } from "../../../test/helpers/environment.js";
import { googleError, PROJECT } from "../../../test/helpers/vendors/google-server.js";
import {
    type MessagesServer,
    type MessagesServerOptions,
    type Reply,
    startMessagesServer,
    text,
    thinking,
    toolUse,
} from "../../../test/helpers/vendors/messages-server.js";
import { claudeModels, describeClaude } from "../src/claude-models.js";
import { vertex } from "../src/vertex.js";

// What it has in common with the other providers is in test/contract/vendors.test.ts.

const apiKey = "ya29.a-token-of-the-test";
const done: Reply = { blocks: [text("ok")] };
const tools = [{ name: "read_file", description: "Reads.", inputSchema: { type: "object" } }];
const claude = modelNamed("claude-sonnet-5-5");

function modelNamed(id: string): ModelInfo {
    return vertex.models.find((model) => model.id === id) ?? describeClaude(id, "global")!;
}

describe("Claude on Vertex AI", () => {
    let server: MessagesServer;
    let urls: string[];
    let before: NodeJS.ProcessEnv;

    beforeEach(() => {
        before = { ...process.env };
        process.env.GOOGLE_CLOUD_PROJECT = PROJECT;
        delete process.env.GOOGLE_CLOUD_LOCATION;
        urls = [];
    });
    afterEach(async () => {
        restoreEnvironment(before);
        await server.close();
    });

    async function connectTo(script: readonly Reply[], options?: Partial<MessagesServerOptions>) {
        server = await startMessagesServer({ script, apiKey, isVertex: true, ...options });
        return vertex.connect({
            apiKey,
            baseURL: server.url,
            fetch: (input, init) => {
                urls.push(String(input));
                return fetch(input, init);
            },
        });
    }

    async function ask(
        connection: Awaited<ReturnType<typeof connectTo>>,
        request: Partial<ModelRequest> = {}
    ) {
        const asked = sampleRequest(vertex, { model: claude, ...request });
        return collect(connection, asked, undefined, "vertex");
    }

    const failing = async (failure: Reply["failure"]) =>
        failureOf(ask(await connectTo([{ failure }])));

    it("The model, its project and its location are in the URL, the version in the body", async () => {
        process.env.GOOGLE_CLOUD_LOCATION = "eu";
        const connection = await connectTo([done, done]);
        await ask(connection);
        await ask(connection, { model: modelNamed("claude-opus-4-5@20251101") });
        const models = `${server.url}/v1/projects/${PROJECT}/locations/eu/publishers/anthropic/models`;
        expect(urls).to.deep.equal([
            `${models}/claude-sonnet-5-5:streamRawPredict`,
            `${models}/claude-opus-4-5@20251101:streamRawPredict`,
        ]);
        const [first] = server.requests;
        expect(first?.headers.authorization).to.equal(`Bearer ${apiKey}`);
        expect(first?.raw.toString()).to.match(/^\{"anthropic_version":"vertex-2023-10-16",/);
        server.assertDone();
    });

    it("Each request reads what the one before wrote to the cache, counted exactly", async () => {
        const connection = await connectTo(
            [{ blocks: [thinking("a", "sig"), toolUse("toolu_1", "read_file", {})] }, done, done],
            { simulateCache: true }
        );
        const messages: Message[] = [
            { role: "user", content: [{ type: "text", text: "Read. ".repeat(2_000) }] },
        ];
        const usages = [];
        for (let step = 0; step < 3; step += 1) {
            const { message, usage } = await ask(connection, { messages: [...messages], tools });
            usages.push(usage);
            const results = answersTo(message);
            messages.push(message);
            if (results.content.length > 0) messages.push(results);
            else messages.push({ role: "user", content: [{ type: "text", text: "And?" }] });
        }
        server.assertDone();
        const counted = usages.map(({ inputTokens, cacheReadTokens, ...usage }) => ({
            input_tokens: inputTokens,
            cache_read_input_tokens: cacheReadTokens,
            written: (usage.cacheWriteTokens ?? 0) + (usage.cacheWriteLongTokens ?? 0),
        }));
        expect(counted).to.deep.equal(
            server.counts.map(({ input_tokens, ...counts }) => ({
                input_tokens,
                cache_read_input_tokens: counts.cache_read_input_tokens,
                written: counts.cache_creation_input_tokens,
            }))
        );
        const sums = counted.map(
            ({ cache_read_input_tokens: read = 0, written }) => read + written
        );
        expect(counted.slice(1).map((each) => each.cache_read_input_tokens)).to.deep.equal(
            sums.slice(0, -1)
        );
    });

    it("Images and PDFs are sent, also those of results", async () => {
        const image = { type: "image", mediaType: "image/png", data: "aWNvbg==" } as const;
        const pdf = { type: "document", mediaType: "application/pdf", data: "cGRm" } as const;
        const call = { callId: "a", name: "read_file" };
        await ask(await connectTo([done]), {
            messages: [
                { role: "user", content: [image, { type: "text", text: "?" }] },
                { role: "assistant", content: [{ type: "tool-call", ...call, input: {} }] },
                {
                    role: "tool",
                    content: [
                        {
                            ...{ type: "tool-result", ...call, content: "{}", isError: false },
                            media: [pdf],
                        },
                    ],
                },
            ],
            tools,
        });
        const sent = server.requests[0]?.raw.toString();
        expect(sent).to.include('"media_type":"image/png"').and.include("application/pdf");
        server.assertDone();
    });

    for (const [status, code, advice] of [
        [401, "authentication", "gcloud auth application-default login"],
        [403, "authentication", "Vertex AI User"],
        [404, "invalid-request", "GOOGLE_CLOUD_LOCATION"],
    ] as const) {
        it(`Google's ${status} says what helps on Google Cloud`, async () => {
            const error = await failing({ status, error: googleError(status, "No.") });
            expect(error).to.include({ code, retryable: false });
            expect(error.nextSteps.join(" ")).to.include(advice);
        });
    }

    it("Google's 429 is retried when its header says so", async () => {
        const error = await failing({
            status: 429,
            error: googleError(429, "Quota exceeded for online_prediction_input_tokens"),
            headers: { "retry-after": "7" },
        });
        expect(error).to.include({ code: "rate-limited", retryable: true, retryAfterMs: 7_000 });
    });

    it("A prompt that exceeds the window is an overflow, and another 400 is quoted", async () => {
        const said = "prompt is too long: 1000001 tokens > 1000000 maximum";
        const type = "invalid_request_error";
        const overflow = await failing({ status: 400, error: { type, message: said } });
        expect(overflow.code).to.equal("context-overflow");
        await server.close();
        const refused = await failing({ status: 400, error: { type, message: "tools.0: bad" } });
        expect(refused).to.include({ code: "invalid-request", retryable: false });
        expect(refused.message).to.include("tools.0: bad");
    });

    it("An error inside a stream means what its type says", async () => {
        const error = { type: "overloaded_error", message: "Overloaded" };
        const body = `event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`;
        const page = { status: 200, type: "text/event-stream", body };
        expect(await failureOf(ask(await connectTo([{ page }])))).to.include({
            code: "overloaded",
            retryable: true,
        });
    });

    it("Every location but the global one costs 10% more, as unconfirmed as the rest", async () => {
        await connectTo([]);
        checkModels(vertex);
        const priceIn = (location: string) =>
            claudeModels(location).find(({ id }) => id === "claude-haiku-5-5")?.prices;
        const { input = 0, cacheWriteLong = 0, above } = priceIn("global") ?? {};
        const inEurope = priceIn("eu");
        expect(priceIn("global")?.isUnconfirmed).to.equal(true);
        expect(inEurope?.input).to.be.closeTo(1.1 * input, 1e-6);
        expect(inEurope?.cacheWriteLong).to.be.closeTo(1.1 * cacheWriteLong, 1e-6);
        expect(inEurope?.above?.prices.output).to.be.closeTo(1.1 * above!.prices.output, 1e-6);
    });

    it("Ids are Google's, without aliases, and models that Anthropic retired have no price", async () => {
        await connectTo([]);
        const models = claudeModels("global");
        expect(models.map(({ id }) => id)).to.include.members([
            "claude-sonnet-5-5",
            "claude-haiku-4-5@20251001",
        ]);
        for (const model of models) {
            expect(model.aliases).to.deep.equal([]);
            expect(model).to.not.have.any.keys("isDefault", "retiresOn", "replacedBy");
        }
        const retired = vertex.describe?.("claude-opus-4-1@20250805");
        expect(retired).to.include({ id: "claude-opus-4-1@20250805", contextTokens: 200_000 });
        expect(retired).to.not.have.property("prices");
        expect(vertex.describe?.("claude-2")).to.equal(undefined);
    });
});
