import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Contribution } from "north-cli/plugin";
import register from "../src/register.js";

interface Value {
    readonly stringValue?: string;
    readonly intValue?: number;
    readonly doubleValue?: number;
    readonly arrayValue?: unknown;
}
interface Attributed {
    readonly attributes: readonly { readonly key: string; readonly value: Value }[];
}
interface Span extends Attributed {
    readonly name: string;
    readonly spanId: string;
    readonly parentSpanId?: string;
    readonly startTimeUnixNano: string;
    readonly endTimeUnixNano: string;
    readonly status: { readonly code?: number };
}
interface Metric {
    readonly name: string;
    readonly sum?: { readonly dataPoints: readonly ({ readonly asDouble: number } & Attributed)[] };
    readonly histogram?: {
        readonly dataPoints: readonly ({ readonly sum: number } & Attributed)[];
    };
}

interface TraceBody {
    readonly resourceSpans: readonly {
        readonly scopeSpans: readonly { readonly spans: Span[] }[];
    }[];
}
interface MetricBody {
    readonly resourceMetrics: readonly {
        readonly scopeMetrics: readonly { readonly metrics: Metric[] }[];
    }[];
}

/** A collector's receiver (OTLP/HTTP, JSON). */
class Collector {
    readonly received: {
        readonly path: string;
        readonly headers: http.IncomingHttpHeaders;
        readonly text: string;
    }[] = [];
    private readonly server = http.createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
            const { url: path = "", headers } = request;
            this.received.push({ path, headers, text: Buffer.concat(chunks).toString() });
            response.writeHead(200, { "content-type": "application/json" }).end("{}");
        });
    });

    async listen(): Promise<string> {
        this.server.listen(0, "127.0.0.1");
        await once(this.server, "listening");
        return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    }

    close(): void {
        this.server.closeAllConnections();
        this.server.close();
    }

    get spans(): Span[] {
        return this.bodies<TraceBody>("/v1/traces").flatMap(({ resourceSpans }) =>
            resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        );
    }

    get metrics(): Metric[] {
        return this.bodies<MetricBody>("/v1/metrics").flatMap(({ resourceMetrics }) =>
            resourceMetrics.flatMap(({ scopeMetrics }) =>
                scopeMetrics.flatMap(({ metrics }) => metrics)
            )
        );
    }

    private bodies<Body>(path: string): Body[] {
        return this.received
            .filter((each) => each.path === path)
            .map(({ text }): Body => JSON.parse(text));
    }
}

const attributes = ({ attributes: all }: Attributed) =>
    Object.fromEntries(
        all.map(({ key, value }) => [
            key,
            value.stringValue ??
                value.intValue ??
                value.doubleValue ??
                JSON.stringify(value.arrayValue),
        ])
    );

describe("The OpenTelemetry plugin", () => {
    let collector: Collector;
    let endpoint: string;
    beforeEach(async () => {
        collector = new Collector();
        endpoint = await collector.listen();
    });
    afterEach(() => collector.close());

    const folders = { configFolder: "/nowhere", dataFolder: "/nowhere" };
    const contributed = async (settings: Record<string, unknown>): Promise<Contribution> =>
        register.call({} as never, { northVersion: "0.1.0", ...folders, settings } as never);

    const place = { conversationId: "abc123" };
    const usage = { inputTokens: 10, cacheReadTokens: 90, cacheWriteTokens: 5, outputTokens: 7 };

    /** A turn with a request, a call that fails, and a nested turn below the call. */
    async function tell(settings: Record<string, unknown>): Promise<void> {
        const { observers = [], close } = await contributed(settings);
        const [observer] = observers;
        const tell = (event: object, where: object = place) =>
            observer?.onEvent?.({ at: 1_000, ...event } as never, where as never);
        const record = (entry: object) => observer?.observe?.(entry as never, place);
        const names = { provider: "anthropic", model: "claude-sonnet-5-5" };
        tell({ type: "turn-started", turnId: "t1", mode: "agent" });
        record({ type: "entry_added", entry: { kind: "user", text: "Where is the secret plan?" } });
        tell({ type: "request-started", requestId: "r1", ...names });
        const call = {
            type: "tool-call",
            callId: "c1",
            name: "explore",
            input: { prompt: "plan" },
        };
        const content = [{ type: "text", text: "I look." }, call];
        record({ type: "entry_updated", id: "r1", changes: { content } });
        tell({
            type: "request-finished",
            at: 3_000,
            requestId: "r1",
            usage,
            costUsd: 0.25,
            stopReason: "tool-calls",
        });
        tell({ type: "tool-call-started", callId: "c1", tool: "explore" });
        const nested = { conversationId: "def456", parent: { ...place, callId: "c1" } };
        tell({ type: "turn-started", turnId: "t2", mode: "ask" }, nested);
        tell(
            {
                type: "turn-finished",
                turnId: "t2",
                requests: 0,
                usage: {},
                costUsd: null,
                stopReason: "end",
            },
            nested
        );
        record({
            type: "entry_added",
            entry: { kind: "tool_result", callId: "c1", content: "{}", text: "the plan" },
        });
        tell({
            type: "tool-call-finished",
            callId: "c1",
            tool: "explore",
            ok: false,
            errorCode: "not-found",
        });
        tell({
            type: "turn-finished",
            at: 5_000,
            turnId: "t1",
            requests: 1,
            usage,
            costUsd: 0.25,
            stopReason: "end",
        });
        await close?.();
    }

    it("A turn, its request, its calls and nested turns become spans named by the GenAI conventions", async () => {
        await tell({ endpoint });
        const named = (name: string) => collector.spans.filter((span) => span.name === name);
        const [nested, turn] = named("invoke_agent north");
        const [request] = named("chat claude-sonnet-5-5");
        const [call] = named("execute_tool explore");
        expect(collector.spans).to.have.lengthOf(4);
        expect(attributes(turn!)).to.deep.include({
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.conversation.id": "abc123",
            "north.cost.usd": 0.25,
        });
        expect([request, call].map((span) => span?.parentSpanId)).to.deep.equal([
            turn?.spanId,
            turn?.spanId,
        ]);
        expect(nested?.parentSpanId).to.equal(call?.spanId);
        expect(attributes(request!)).to.deep.include({
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "anthropic",
            "gen_ai.request.model": "claude-sonnet-5-5",
            "gen_ai.usage.input_tokens": 105,
            "gen_ai.usage.cache_read.input_tokens": 90,
            "gen_ai.usage.output_tokens": 7,
        });
        expect([request?.startTimeUnixNano, request?.endTimeUnixNano]).to.deep.equal([
            "1000000000",
            "3000000000",
        ]);
        expect(attributes(call!)).to.deep.include({
            "gen_ai.tool.name": "explore",
            "error.type": "not-found",
        });
        expect(call?.status.code).to.equal(2);
    });

    it("Tokens, seconds and dollars are metrics with provider and model", async () => {
        await tell({ endpoint });
        const find = (name: string) => collector.metrics.find((metric) => metric.name === name);
        const tokens = find("gen_ai.client.token.usage")?.histogram?.dataPoints ?? [];
        expect(
            tokens.map((point) => [attributes(point)["gen_ai.token.type"], point.sum])
        ).to.deep.equal([
            ["input", 105],
            ["output", 7],
        ]);
        expect(find("gen_ai.client.operation.duration")?.histogram?.dataPoints[0]?.sum).to.equal(2);
        const [cost] = find("north.client.cost")?.sum?.dataPoints ?? [];
        expect(cost?.asDouble).to.equal(0.25);
        expect(attributes(cost!)["gen_ai.request.model"]).to.equal("claude-sonnet-5-5");
    });

    it("No contents are sent unless they are asked for", async () => {
        await tell({ endpoint, headers: { authorization: "Bearer t" } });
        const sent = collector.received.map(({ text }) => text).join("");
        expect(sent).not.to.match(/plan|I look/);
        expect(collector.received[0]?.headers).to.include({
            authorization: "Bearer t",
            "content-type": "application/json",
        });
        await tell({ endpoint, contents: true });
        const turn = collector.spans.filter(({ name }) => name === "invoke_agent north").at(-1)!;
        expect(attributes(turn)["gen_ai.input.messages"]).to.contain("Where is the secret plan?");
        expect(attributes(turn)["gen_ai.output.messages"]).to.contain("I look.");
        const call = collector.spans.findLast(({ name }) => name === "execute_tool explore")!;
        expect(attributes(call)).to.include({
            "gen_ai.tool.call.arguments": '{"prompt":"plan"}',
            "gen_ai.tool.call.result": "the plan",
        });
    });

    it("The result of a call is sent although it is recorded after the call has ended", async () => {
        const { observers = [], close } = await contributed({ endpoint, contents: true });
        const tell = (event: object) =>
            observers[0]?.onEvent?.({ at: 1_000, ...event } as never, place);
        const ended = { type: "tool-call-finished", tool: "read_file", ok: true };
        for (const callId of ["c1", "c2"]) {
            tell({ type: "tool-call-started", callId, tool: "read_file" });
            tell({ ...ended, at: 2_000, callId });
        }
        const entry = { kind: "tool_result", callId: "c1", content: "{}", text: "the plan" };
        observers[0]?.observe?.({ type: "entry_added", entry } as never, place);
        await close?.();
        const calls = collector.spans.map((span) => ({ ...span, all: attributes(span) }));
        const results = calls.map(({ all }) => all["gen_ai.tool.call.result"]);
        expect(results).to.deep.equal(["the plan", undefined]);
        expect(calls.map(({ endTimeUnixNano }) => endTimeUnixNano)).to.deep.equal([
            "2000000000",
            "2000000000",
        ]);
    });

    it("What an earlier turn left of a call is not sent with a later call of the same ID", async () => {
        const { observers = [], close } = await contributed({ endpoint, contents: true });
        const tell = (event: object) =>
            observers[0]?.onEvent?.({ at: 1_000, ...event } as never, place);
        const record = (entry: object) => observers[0]?.observe?.(entry as never, place);
        const call = { type: "tool-call", callId: "c1", name: "read_file", input: { old: true } };
        const result = (text: string) => ({
            type: "entry_added",
            entry: { kind: "tool_result", callId: "c1", content: "{}", text },
        });
        record({ type: "entry_updated", id: "r1", changes: { content: [call] } });
        record(result("the old plan"));
        tell({ type: "turn-finished", usage, costUsd: 0 });
        tell({ type: "tool-call-started", callId: "c1", tool: "read_file" });
        tell({ type: "tool-call-finished", callId: "c1", tool: "read_file", ok: true });
        record(result("the new plan"));
        await close?.();
        const sent = attributes(collector.spans[0]!);
        expect(sent["gen_ai.tool.call.result"]).to.equal("the new plan");
        expect(sent).not.to.have.property("gen_ai.tool.call.arguments");
    });

    it("Resource attributes of the environment are sent, and override North's own", async () => {
        process.env.OTEL_RESOURCE_ATTRIBUTES = "deployment.environment.name=ci,run=42";
        process.env.OTEL_SERVICE_NAME = "helper";
        try {
            await tell({ endpoint });
        } finally {
            delete process.env.OTEL_RESOURCE_ATTRIBUTES;
            delete process.env.OTEL_SERVICE_NAME;
        }
        const sent = JSON.parse(collector.received[0]?.text ?? "");
        const { resource } = (sent.resourceSpans ?? sent.resourceMetrics)[0];
        expect(attributes(resource)).to.include({
            "service.name": "helper",
            "deployment.environment.name": "ci",
            run: "42",
        });
    });

    it("Mistral has the name that the conventions give it", async () => {
        const { observers = [], close } = await contributed({ endpoint });
        const tell = (event: object) =>
            observers[0]?.onEvent?.({ at: 1_000, requestId: "r", ...event } as never, place);
        tell({ type: "request-started", provider: "mistral", model: "mistral-large-4" });
        tell({ type: "request-finished", usage, costUsd: null });
        await close?.();
        expect(attributes(collector.spans[0]!)["gen_ai.provider.name"]).to.equal("mistral_ai");
    });

    it("Without a collector nothing is observed, and an invalid setting is named", async () => {
        expect(await contributed({})).to.deep.equal({ apiVersion: 1, problems: [] });
        const { observers, problems } = await contributed({
            endpoint: "localhost:4318",
            content: true,
            headers: { "x-fine": "a", "x-key": "secret\n" },
        });
        expect(observers).to.equal(undefined);
        expect(problems).to.deep.equal([
            "There is no setting content.",
            "endpoint must be an http(s) URL.",
            'The header "x-key" has characters that HTTP does not allow.',
        ]);
    });

    it("An unresponsive collector interrupts nothing", async () => {
        collector.close();
        await tell({ endpoint });
    });
});
