import type {
    ConnectionSettings,
    ModelConnection,
    ModelEvent,
    ModelRequest,
} from "../../../plugin/index.js";
import { noKey } from "../failures.js";
import { createSender, type Limits, LIMITS } from "../openai/sender.js";
import type { Chunk } from "./chunk.js";
import type { CompatibleDefinition } from "./definition.js";
import { toModelEvents } from "./reply-mapping.js";
import { createBodyBuilder } from "./request-body.js";
import { toVendor } from "./vendor.js";

/** Connects through OpenAI's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    definition: CompatibleDefinition,
    settings: ConnectionSettings,
    limits: Limits = LIMITS
): Promise<ModelConnection> {
    const vendor = toVendor(definition);
    if (definition.keyVariable !== undefined && !settings.apiKey) throw noKey(vendor);
    const baseURL = settings.baseURL || definition.baseURL;
    const send = await createSender({ ...settings, baseURL }, vendor, limits);
    const buildBody = createBodyBuilder(definition.name);
    return {
        async *stream(request: ModelRequest, { signal }): AsyncGenerator<ModelEvent, void> {
            signal.throwIfAborted();
            const body = buildBody(request);
            const chunks = send<Chunk>({ path: "/chat/completions", body, signal });
            yield* toModelEvents(chunks, { messages: request.messages, vendor });
        },
    };
}
