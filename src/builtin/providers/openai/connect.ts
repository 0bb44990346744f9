import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import type { ConnectionSettings, ModelConnection } from "../../../plugin/index.js";
import type { Vendor } from "../../../provider-kit/failures.js";
import { BodyMemory } from "../../../provider-kit/growing-body.js";
import type { Limits } from "../../../provider-kit/limits.js";
import { connectWithFlex } from "../../../provider-kit/tiers.js";
import { connectBy } from "../connect-by.js";
import { openClient } from "./client.js";
import { OPENAI, refusalIn } from "./error-mapping.js";
import { isLast, toModelEvents } from "./reply-mapping.js";
import { createBodyBuilder, type Dialect, type RefusedFeature } from "./request-body.js";

/** Connects through the vendor's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits?: Limits,
    vendor: Vendor = OPENAI,
    dialect?: Dialect
): Promise<ModelConnection> {
    const memory = new BodyMemory();
    const buildBody = createBodyBuilder(memory, vendor.id, dialect);
    const open = async (within?: Limits) =>
        connectBy<ResponseStreamEvent, RefusedFeature>(
            await openClient(settings, vendor, within),
            memory,
            {
                path: "/responses",
                prepare: (request, refused) => ({
                    body: buildBody(request, refused),
                    toModelEvents: (events) => toModelEvents(events, request, vendor),
                }),
                isLast,
                quirkIn: refusedFeature,
            }
        );
    return connectWithFlex(open, limits);
}

function refusedFeature(error: unknown): RefusedFeature | undefined {
    const { code, param } = refusalIn(error);
    if (param === "reasoning.summary") return "summaries";
    return code === "invalid_encrypted_content" ? "reasoning" : undefined;
}

// https://developers.openai.com/api/docs/api-reference/models/list

/** A restricted key may not list models, but still be able to use them. */
const LACKS_RIGHT = /missing scopes/i;

/** Checks a key by listing the models, which is free. */
export async function checkKey(
    settings: ConnectionSettings,
    { signal }: { readonly signal: AbortSignal },
    vendor: Vendor = OPENAI
): Promise<void> {
    const { client, toFailure } = await openClient(settings, vendor);
    try {
        await client.get("/models", { signal });
    } catch (error) {
        signal.throwIfAborted();
        const failure = toFailure(error);
        if (!LACKS_RIGHT.test(String(refusalIn(failure).message))) throw failure;
    }
}
