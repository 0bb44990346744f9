import type {
    ConnectionSettings,
    ModelConnection,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Provider,
} from "../plugin/index.js";
import { isExpectedError } from "../base/north-error.js";
import { createNodeHttpFetch } from "../provider-kit/node-http-fetch.js";
import { checkModels } from "./check-models.js";
import { checkReply } from "./check-reply.js";
import { Problems } from "./contract-error.js";
import { within } from "../base/waiting.js";

/** How a test reaches a provider. A provider without a server needs neither field. */
export interface ProviderSetting {
    /** A key, and the URL of a test server that answers `requests` in order; `fetch` is North's. */
    readonly connection?: ConnectionSettings;
    /** The requests to send, one per scripted reply; defaults to one `sampleRequest`. */
    readonly requests?: readonly ModelRequest[];
}

const NOWHERE = "http://127.0.0.1:9";
const LIMIT_MS = 10_000;

/**
 * Checks a provider's data and the reply to each request, then cancels a request before it is sent
 * and sends one to an unreachable server. Resolves to the events of each reply; rejects with a
 * `ContractError`.
 */
export async function checkProvider(
    provider: Provider,
    { connection: given, requests = [sampleRequest(provider)] }: ProviderSetting = {}
): Promise<readonly (readonly ModelEvent[])[]> {
    checkModels(provider);
    if (given === undefined && (provider.keyVariable ?? provider.baseURLVariable) !== undefined) {
        throw new Error(
            `Provider ${provider.id} needs a test server: checkProvider(provider, { connection: { apiKey, baseURL } }).`
        );
    }
    const settings = { fetch: createNodeHttpFetch(), ...given };
    const connection = await provider.connect(settings);
    const replies: ModelEvent[][] = [];
    for (const request of requests) {
        const events = await collect(connection, request, new AbortController().signal);
        checkReply(events);
        replies.push(events);
    }
    const request = requests[0] ?? sampleRequest(provider);
    const problems = new Problems(`Provider ${provider.id}`);
    await checkCancelledFirst(connection, request, problems);
    if (provider.baseURLVariable !== undefined) {
        const lost = await provider.connect({ ...settings, baseURL: NOWHERE });
        await checkUnreachable(lost, request, problems);
    }
    problems.throwAny();
    return replies;
}

/** A short question to the provider's first model in service. */
export function sampleRequest(provider: Provider, parts: Partial<ModelRequest> = {}): ModelRequest {
    const model = servedModel(provider);
    return {
        model,
        system: "You are being tested.",
        tools: [],
        messages: [{ role: "user", content: [{ type: "text", text: "Hello." }] }],
        maxOutputTokens: Math.min(1_000, model.maxOutputTokens),
        thinking: false,
        conversationId: "abc123",
        ...parts,
    };
}

function servedModel(provider: Provider): ModelInfo {
    const model =
        provider.models.find(({ replacedBy }) => replacedBy === undefined) ??
        provider.describe?.("test-model");
    if (model === undefined) throw new Error(`Provider ${provider.id} serves no model.`);
    return model;
}

async function collect(
    connection: ModelConnection,
    request: ModelRequest,
    signal: AbortSignal
): Promise<ModelEvent[]> {
    const events: ModelEvent[] = [];
    const reading = (async () => {
        for await (const event of connection.stream(request, { signal })) events.push(event);
    })();
    await within(LIMIT_MS, reading, () => {
        throw new Error(`The reply took more than ${LIMIT_MS} ms`);
    });
    return events;
}

async function checkCancelledFirst(
    connection: ModelConnection,
    request: ModelRequest,
    problems: Problems
): Promise<void> {
    const reason = new Error("cancelled by the test");
    const outcome = await collect(connection, request, AbortSignal.abort(reason)).then(
        () => "came to an end",
        (error: unknown) => (error === reason ? undefined : `rejected with ${String(error)}`)
    );
    problems.unless(
        outcome === undefined,
        `a cancelled request must reject with the signal's reason; it ${outcome}`
    );
}

async function checkUnreachable(
    connection: ModelConnection,
    request: ModelRequest,
    problems: Problems
): Promise<void> {
    const error = await collect(connection, request, new AbortController().signal).then(
        () => undefined,
        (failure: unknown) => failure
    );
    const isNetwork = isExpectedError(error) && error.code === "network" && error.retryable;
    const wanted = 'without a server it must reject with a retryable ExpectedError "network"';
    problems.unless(isNetwork === true, `${wanted}; it said ${String(error)}`);
}
