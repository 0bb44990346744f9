import type {
    ConnectionSettings,
    ModelConnection,
    ModelEvent,
    ModelRequest,
} from "../../../plugin/index.js";
import { noKey } from "../failures.js";
import { refusalIn, untilAccepted } from "../until-accepted.js";
import { createSender, type Limits, LIMITS } from "../openai/sender.js";
import type { Chunk } from "./chunk.js";
import type { CompatibleDefinition } from "./definition.js";
import { REASONING_CONTENT } from "./message-mapping.js";
import { toModelEvents } from "./reply-mapping.js";
import { createBodyBuilder } from "./request-body.js";
import { toVendor } from "./vendor.js";

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
    const buildBody = createBodyBuilder(definition.name);
    let needsReasoning = false;
    return {
        async *stream(request: ModelRequest, { signal }): AsyncGenerator<ModelEvent, void> {
            signal.throwIfAborted();
            const attempt = () => {
                const body = buildBody(request, needsReasoning);
                const chunks = send<Chunk>({ path: "/chat/completions", body, signal });
                return toModelEvents(chunks, { messages: request.messages, vendor });
            };
            yield* untilAccepted(attempt, (error) => {
                if (needsReasoning || !missesReasoning(error)) return false;
                needsReasoning = true;
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
function missesReasoning(error: unknown): boolean {
    const { message } = refusalIn(error);
    return typeof message === "string" && message.includes(REASONING_CONTENT);
}
