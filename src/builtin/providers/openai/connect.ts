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
import { createBodyBuilder, type OptionalFeatures } from "./request-body.js";
import { createSender } from "./sender.js";

/** Connects through the vendor's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits?: Limits
): Promise<ModelConnection> {
    const send = await createSender(settings, OPENAI, limits);
    const memory = new BodyMemory();
    const buildBody = createBodyBuilder(memory);
    // A feature refused to this account is not requested again.
    let features: OptionalFeatures = { summaries: true, reasoning: true };
    return {
        async *stream(request: ModelRequest, { signal }): AsyncGenerator<ModelEvent, void> {
            signal.throwIfAborted();
            const attempt = async function* () {
                const body = buildBody(request, features);
                const sending = { path: "/responses", body, signal, isLast };
                try {
                    yield* toModelEvents(send<ResponseStreamEvent>(sending));
                } finally {
                    memory.giveBack(body);
                }
            };
            yield* untilAccepted(attempt, (error) => {
                const refused = refusedFeature(error);
                if (refused === undefined || !features[refused]) return false;
                features = { ...features, [refused]: false };
                return true;
            });
        },
    };
}

/** The optional feature that the vendor refused. */
function refusedFeature(error: unknown): keyof OptionalFeatures | undefined {
    const { code, param } = refusalIn(error);
    if (param === "reasoning.summary") return "summaries";
    return code === "invalid_encrypted_content" ? "reasoning" : undefined;
}
