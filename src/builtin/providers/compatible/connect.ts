import type {
    ConnectionSettings,
    ModelConnection,
    ModelEvent,
    ModelRequest,
} from "../../../plugin/index.js";
import { BodyMemory } from "../body-memory.js";
import { noKey } from "../failures.js";
import { refusalIn, untilAccepted } from "../until-accepted.js";
import { type Limits, LIMITS } from "../openai/client.js";
import { createSender } from "../openai/sender.js";
import type { Chunk } from "./chunk.js";
import type { CompatibleDefinition } from "./definition.js";
import { REASONING_CONTENT } from "./message-mapping.js";
import { toModelEvents } from "./reply-mapping.js";
import { createBodyBuilder, type Peculiarities } from "./request-body.js";
import { toVendor } from "./vendor.js";

const REASONING_EFFORT = "reasoning_effort";

/** Connects through OpenAI's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    definition: CompatibleDefinition,
    settings: ConnectionSettings,
    limits: Limits = limitsOf(definition)
): Promise<ModelConnection> {
    const vendor = toVendor(definition);
    if (definition.keyVariable !== undefined && !settings.apiKey) throw noKey(vendor);
    const baseURL = settings.baseURL || definition.baseURL;
    const send = await createSender({ ...settings, baseURL }, vendor, limits);
    const memory = new BodyMemory();
    const buildBody = createBodyBuilder(definition.name, memory);
    // What the server refused once is not tried again.
    let peculiarities: Peculiarities = { needsReasoning: false, refusesEffort: false };
    return {
        async *stream(request: ModelRequest, { signal }): AsyncGenerator<ModelEvent, void> {
            signal.throwIfAborted();
            const attempt = async function* () {
                const body = buildBody(request, peculiarities);
                const chunks = send<Chunk>({ path: "/chat/completions", body, signal });
                try {
                    yield* toModelEvents(chunks, { messages: request.messages, vendor });
                } finally {
                    memory.giveBack(body);
                }
            };
            yield* untilAccepted(attempt, (error) => {
                const found = peculiarityIn(error);
                if (found === undefined || peculiarities[found]) return false;
                peculiarities = { ...peculiarities, [found]: true };
                return true;
            });
        },
    };
}

function limitsOf({ silenceMs = LIMITS.silenceMs }: CompatibleDefinition): Limits {
    return { ...LIMITS, silenceMs };
}

/**
 * DeepSeek wants the field in every message that calls a tool, also where another model wrote it
 * and nothing was thought; it has no code for that, but names the field.
 * https://api-docs.deepseek.com/guides/thinking_mode#tool-calls
 */
function peculiarityIn(error: unknown): keyof Peculiarities | undefined {
    const { message, param } = refusalIn(error);
    if (typeof message !== "string") return undefined;
    if (message.includes(REASONING_CONTENT)) return "needsReasoning";
    const isEffort = param === REASONING_EFFORT || message.includes(REASONING_EFFORT);
    return isEffort ? "refusesEffort" : undefined;
}
