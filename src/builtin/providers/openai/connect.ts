import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import type {
    ConnectionSettings,
    ModelConnection,
    ModelEvent,
    ModelRequest,
} from "../../../plugin/index.js";
import { BodyMemory } from "../../../provider-kit/body-memory.js";
import type { Limits } from "../../../provider-kit/limits.js";
import { untilAccepted } from "../../../provider-kit/until-accepted.js";
import { OPENAI, refusalIn } from "./error-mapping.js";
import { isLast, toModelEvents } from "./reply-mapping.js";
import { createBodyBuilder, type Wishes } from "./request-body.js";
import { createSender } from "./sender.js";

/** Connects through the vendor's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits?: Limits
): Promise<ModelConnection> {
    const send = await createSender(settings, OPENAI, limits);
    const memory = new BodyMemory();
    const buildBody = createBodyBuilder(memory);
    // What the vendor refused this account once is not asked for again.
    let wishes: Wishes = { summaries: true, reasoning: true };
    return {
        async *stream(request: ModelRequest, { signal }): AsyncGenerator<ModelEvent, void> {
            signal.throwIfAborted();
            const attempt = async function* () {
                const body = buildBody(request, wishes);
                const sending = { path: "/responses", body, signal, isLast };
                try {
                    yield* toModelEvents(send<ResponseStreamEvent>(sending));
                } finally {
                    memory.giveBack(body);
                }
            };
            yield* untilAccepted(attempt, (error) => {
                const refused = refusedWish(error);
                if (refused === undefined || !wishes[refused]) return false;
                wishes = { ...wishes, [refused]: false };
                return true;
            });
        },
    };
}

/** Which wish made the vendor refuse the request. */
function refusedWish(error: unknown): keyof Wishes | undefined {
    const { code, param } = refusalIn(error);
    if (param === "reasoning.summary") return "summaries";
    return code === "invalid_encrypted_content" ? "reasoning" : undefined;
}
