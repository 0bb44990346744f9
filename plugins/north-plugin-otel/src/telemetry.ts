import {
    type Attributes,
    type Context,
    ROOT_CONTEXT,
    SpanKind,
    SpanStatusCode,
    trace,
} from "@opentelemetry/api";
import type { Span, Tracer } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { JournalRecord, ObservedEvent, EventOrigin, Usage } from "north-cli/plugin";
import { contentsOf } from "./contents.js";
import { Instruments } from "./instruments.js";
import type { Settings } from "./settings.js";

/** The conventions' names, where North's differ. */
const PROVIDERS: Readonly<Record<string, string>> = { mistral: "mistral_ai" };

const SCOPE = "north-plugin-otel";
const SEND_MS = 3_000;

type Of<Type extends ObservedEvent["type"]> = Extract<ObservedEvent, { type: Type }>;

interface Begun {
    readonly span: Span;
    readonly at: number;
    readonly attributes: Attributes;
}

/**
 * Spans and metrics that follow the semantic conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/).
 */
export class Telemetry {
    private readonly traces: BasicTracerProvider;
    private readonly metrics: MeterProvider;
    private readonly tracer: Tracer;
    private readonly instruments: Instruments;
    /** Open spans, by conversation, request and call. */
    private readonly turns = new Map<string, Begun>();
    private readonly requests = new Map<string, Begun>();
    private readonly calls = new Map<string, Begun>();
    /** Calls that have ended, until their results are recorded. */
    private readonly ended = new Map<string, () => void>();
    private readonly results = new Map<string, string>();
    private readonly callArguments = new Map<string, string>();

    constructor(
        private readonly settings: Settings,
        private readonly version: string
    ) {
        const { endpoint, headers } = settings;
        const own = { "service.name": "north", "service.version": version };
        const { attributes } = detectResources({ detectors: [envDetector] });
        const resource = resourceFromAttributes({ ...own, ...attributes });
        const to = (signal: string) => ({
            ...(endpoint === undefined ? {} : { url: `${endpoint}/v1/${signal}` }),
            ...(headers && { headers: { ...headers } }),
            timeoutMillis: SEND_MS,
        });
        const spans = new BatchSpanProcessor(new OTLPTraceExporter(to("traces")));
        this.traces = new BasicTracerProvider({ resource, spanProcessors: [spans] });
        const exporter = new OTLPMetricExporter(to("metrics"));
        const reader = new PeriodicExportingMetricReader({ exporter });
        this.metrics = new MeterProvider({ resource, readers: [reader] });
        this.tracer = this.traces.getTracer(SCOPE, version);
        this.instruments = new Instruments(this.metrics.getMeter(SCOPE, version));
    }

    event(event: ObservedEvent, origin: EventOrigin): void {
        switch (event.type) {
            case "turn-started":
                return this.startTurn(event, origin);
            case "turn-finished":
                return this.finishTurn(event, origin);
            case "request-started":
                return this.startRequest(event, origin);
            case "request-finished":
                return this.finishRequest(event);
            case "tool-call-started":
                return this.startCall(event, origin);
            case "tool-call-finished":
                return this.finishCall(event, origin);
            default:
                event satisfies never;
        }
    }

    /** Adds the contents of a record, if enabled. */
    record(record: JournalRecord, { conversationId }: EventOrigin): void {
        const { input, output, calls = [], result } = contentsOf(record);
        const turn = this.turns.get(conversationId)?.span;
        if (input !== undefined) turn?.setAttribute("gen_ai.input.messages", input);
        if (output !== undefined) turn?.setAttribute("gen_ai.output.messages", output);
        for (const { callId, input: given } of calls) {
            this.callArguments.set(callKey(conversationId, callId), given);
        }
        if (result === undefined) return;
        const key = callKey(conversationId, result.callId);
        this.results.set(key, result.text);
        this.ended.get(key)?.();
    }

    /** Sends what is left; it is lost if the collector does not answer. */
    async close(): Promise<void> {
        this.endCalls();
        for (const begun of [this.calls, this.requests, this.turns]) {
            for (const { span } of begun.values()) span.end();
        }
        await Promise.allSettled([this.traces.shutdown(), this.metrics.shutdown()]);
    }

    private startTurn({ at, mode }: Of<"turn-started">, origin: EventOrigin): void {
        const { conversationId, parent } = origin;
        const caller = parent && this.calls.get(callKey(parent.conversationId, parent.callId));
        const attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "north",
            "gen_ai.agent.version": this.version,
            "gen_ai.conversation.id": conversationId,
            "north.mode": mode,
        };
        const span = this.start("invoke_agent north", SpanKind.INTERNAL, attributes, at, caller);
        this.turns.set(conversationId, { span, at, attributes });
    }

    private finishTurn(event: Of<"turn-finished">, { conversationId }: EventOrigin): void {
        this.endCalls(conversationId);
        const turn = this.turns.get(conversationId);
        this.turns.delete(conversationId);
        turn?.span.setAttributes({
            ...usageAttributes(event.usage),
            "north.requests": event.requests,
            "north.stop_reason": event.stopReason,
            ...(event.costUsd !== null && { "north.cost.usd": event.costUsd }),
        });
        end(turn, event.at, event.errorCode);
    }

    private startRequest(event: Of<"request-started">, { conversationId }: EventOrigin): void {
        const { at, provider, model, requestId } = event;
        const attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": PROVIDERS[provider] ?? provider,
            "gen_ai.request.model": model,
        };
        const all = { ...attributes, "gen_ai.conversation.id": conversationId };
        const turn = this.turns.get(conversationId);
        const span = this.start(`chat ${model}`, SpanKind.CLIENT, all, at, turn);
        this.requests.set(requestId, { span, at, attributes });
    }

    private finishRequest(event: Of<"request-finished">): void {
        const { at, requestId, usage, costUsd, stopReason, errorCode } = event;
        const request = this.requests.get(requestId);
        this.requests.delete(requestId);
        if (!request) return;
        request.span.setAttributes({
            ...usageAttributes(usage),
            ...(stopReason && { "gen_ai.response.finish_reasons": [stopReason] }),
            ...(costUsd !== null && { "north.cost.usd": costUsd }),
        });
        end(request, at, errorCode);
        const error = errorCode === undefined ? {} : { "error.type": errorCode };
        const attributes = { ...request.attributes, ...error };
        this.instruments.request(
            { seconds: (at - request.at) / 1_000, usage, costUsd },
            attributes
        );
    }

    private startCall(event: Of<"tool-call-started">, { conversationId }: EventOrigin): void {
        const { at, tool, callId } = event;
        const key = callKey(conversationId, callId);
        const given = this.callArguments.get(key);
        this.callArguments.delete(key);
        const attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": callId,
            ...(given !== undefined && { "gen_ai.tool.call.arguments": given }),
        };
        const turn = this.turns.get(conversationId);
        const span = this.start(`execute_tool ${tool}`, SpanKind.INTERNAL, attributes, at, turn);
        this.calls.set(key, { span, at, attributes });
    }

    private finishCall(event: Of<"tool-call-finished">, { conversationId }: EventOrigin): void {
        const key = callKey(conversationId, event.callId);
        const call = this.calls.get(key);
        this.calls.delete(key);
        const finish = () => {
            this.ended.delete(key);
            const result = this.results.get(key);
            this.results.delete(key);
            if (result !== undefined) call?.span.setAttribute("gen_ai.tool.call.result", result);
            end(call, event.at, event.ok ? undefined : (event.errorCode ?? "failed"));
        };
        if (this.settings.contents && !this.results.has(key)) this.ended.set(key, finish);
        else finish();
    }

    /** Ends calls whose results were never recorded; all of them without an ID. */
    private endCalls(conversationId?: string): void {
        const start = conversationId === undefined ? "" : callKey(conversationId, "");
        for (const [key, finish] of this.ended) if (key.startsWith(start)) finish();
        // Some servers use the same IDs in each turn.
        for (const contents of [this.results, this.callArguments]) {
            for (const key of contents.keys()) if (key.startsWith(start)) contents.delete(key);
        }
    }

    private start(
        name: string,
        kind: SpanKind,
        attributes: Attributes,
        at: number,
        parent: Begun | undefined
    ): Span {
        const context: Context = parent ? trace.setSpan(ROOT_CONTEXT, parent.span) : ROOT_CONTEXT;
        return this.tracer.startSpan(name, { kind, attributes, startTime: new Date(at) }, context);
    }
}

function callKey(conversationId: string, callId: string): string {
    return `${conversationId}/${callId}`;
}

function end(begun: Begun | undefined, at: number, errorCode: string | undefined): void {
    if (errorCode !== undefined) {
        begun?.span.setStatus({ code: SpanStatusCode.ERROR });
        begun?.span.setAttribute("error.type", errorCode);
    }
    begun?.span.end(new Date(at));
}

/** The conventions count cached tokens as input. */
function usageAttributes(usage: Usage): Attributes {
    const { cacheReadTokens = 0, cacheWriteTokens = 0, cacheWriteLongTokens = 0 } = usage;
    const written = cacheWriteTokens + cacheWriteLongTokens;
    return {
        "gen_ai.usage.input_tokens": (usage.inputTokens ?? 0) + cacheReadTokens + written,
        "gen_ai.usage.output_tokens": usage.outputTokens ?? 0,
        "gen_ai.usage.cache_read.input_tokens": cacheReadTokens,
        "gen_ai.usage.cache_creation.input_tokens": written,
    };
}
