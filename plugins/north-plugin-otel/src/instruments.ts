import type { Attributes, Counter, Histogram, Meter } from "@opentelemetry/api";
import type { Usage } from "north-cli/plugin";

/** Buckets that the conventions recommend. */
const SECONDS = [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const TOKENS = [
    1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
];

interface FinishedRequest {
    readonly seconds: number;
    readonly usage: Usage;
    readonly costUsd: number | null;
}

export class Instruments {
    private readonly duration: Histogram;
    private readonly tokens: Histogram;
    private readonly cost: Counter;

    constructor(meter: Meter) {
        this.duration = meter.createHistogram("gen_ai.client.operation.duration", {
            unit: "s",
            advice: { explicitBucketBoundaries: SECONDS },
        });
        this.tokens = meter.createHistogram("gen_ai.client.token.usage", {
            unit: "{token}",
            advice: { explicitBucketBoundaries: TOKENS },
        });
        this.cost = meter.createCounter("north.client.cost", { unit: "{USD}" });
    }

    request({ seconds, usage, costUsd }: FinishedRequest, attributes: Attributes): void {
        this.duration.record(seconds, attributes);
        const { cacheReadTokens = 0, cacheWriteTokens = 0, cacheWriteLongTokens = 0 } = usage;
        const cached = cacheReadTokens + cacheWriteTokens + cacheWriteLongTokens;
        const count = (type: "input" | "output", tokens: number) => {
            if (tokens > 0) {
                this.tokens.record(tokens, { ...attributes, "gen_ai.token.type": type });
            }
        };
        count("input", (usage.inputTokens ?? 0) + cached);
        count("output", usage.outputTokens ?? 0);
        if (costUsd !== null) this.cost.add(costUsd, attributes);
    }
}
