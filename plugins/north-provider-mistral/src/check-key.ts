import type { ConnectionSettings } from "north-cli/plugin";
import { openClient } from "./client.js";
import { toExpectedError } from "./error-mapping.js";

// https://docs.mistral.ai/api/endpoint/models

/** Checks a key by listing the models, which is free. */
export async function checkKey(
    settings: ConnectionSettings,
    { signal }: { readonly signal: AbortSignal }
): Promise<void> {
    const { client, server } = await openClient(settings);
    const { modelsList } = await import("@mistralai/mistralai/funcs/modelsList.js");
    const result = await modelsList(client, undefined, { signal });
    signal.throwIfAborted();
    if (!result.ok) throw toExpectedError(result.error, server);
}
