import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import type {
    ConnectionSettings,
    ModelConnection,
    ModelEvent,
    ModelRequest,
} from "../../../plugin/index.js";
import { noKey } from "../failures.js";
import { isJsonObject } from "../tool-input.js";
import { OPENAI } from "./error-mapping.js";
import { isLast, toModelEvents } from "./reply-mapping.js";
import { createBodyBuilder, type Wishes } from "./request-body.js";
import { createSender, type Limits, LIMITS } from "./sender.js";

const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/** Connects through the vendor's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits: Limits = LIMITS
): Promise<ModelConnection> {
    if (!settings.apiKey) throw noKey(OPENAI);
    const baseURL = settings.baseURL || DEFAULT_BASE_URL;
    const send = await createSender({ ...settings, baseURL }, OPENAI, limits);
    const buildBody = createBodyBuilder();
    // What the vendor refused this account once is not asked for again.
    let wishes: Wishes = { summaries: true, reasoning: true };
    return {
        async *stream(request: ModelRequest, { signal }): AsyncGenerator<ModelEvent, void> {
            for (;;) {
                signal.throwIfAborted();
                const body = buildBody(request, wishes);
                const sending = { path: "/responses", body, signal, isLast };
                let hasBegun = false;
                try {
                    for await (const event of toModelEvents(send<ResponseStreamEvent>(sending))) {
                        hasBegun = true;
                        yield event;
                    }
                    return;
                } catch (error) {
                    const fewer = without(refusedWish(error), wishes);
                    if (hasBegun || fewer === undefined) throw error;
                    wishes = fewer;
                }
            }
        },
    };
}

/** The wishes less one; `undefined` where nothing would change. */
function without(wish: keyof Wishes | undefined, wishes: Wishes): Wishes | undefined {
    return wish === undefined || !wishes[wish] ? undefined : { ...wishes, [wish]: false };
}

/** Which wish made the vendor refuse the request, before it answered anything. */
function refusedWish(error: unknown): keyof Wishes | undefined {
    const cause = error instanceof Error ? error.cause : undefined;
    if (!(cause instanceof Error) || !("error" in cause) || !isJsonObject(cause.error)) {
        return undefined;
    }
    const { code, param } = cause.error;
    if (param === "reasoning.summary") return "summaries";
    return code === "invalid_encrypted_content" ? "reasoning" : undefined;
}
