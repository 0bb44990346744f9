import type { ConnectionSettings } from "../../../plugin/index.js";
import { openClient } from "./client.js";
import { toExpectedError } from "./error-mapping.js";

// https://platform.claude.com/docs/en/api/models/list

/** Asks for the list of models, which needs a key and costs nothing. */
export async function checkKey(
    settings: ConnectionSettings,
    { signal }: { readonly signal: AbortSignal }
): Promise<void> {
    const { client, server } = await openClient(settings);
    try {
        await client.get("/v1/models", { query: { limit: 1 }, signal });
    } catch (error) {
        signal.throwIfAborted();
        throw toExpectedError(error, server);
    }
}
