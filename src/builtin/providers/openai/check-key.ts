import type { ConnectionSettings } from "../../../plugin/index.js";
import { openClient } from "./client.js";
import { OPENAI, refusalIn } from "./error-mapping.js";

// https://developers.openai.com/api/docs/api-reference/models/list

/** A restricted key may lack the right to list models, and still do for talking to one. */
const LACKS_RIGHT = /missing scopes/i;

/** Asks for the list of models, which needs a key and costs nothing. */
export async function checkKey(
    settings: ConnectionSettings,
    { signal }: { readonly signal: AbortSignal }
): Promise<void> {
    const { client, toFailure } = await openClient(settings, OPENAI);
    try {
        await client.get("/models", { signal });
    } catch (error) {
        signal.throwIfAborted();
        const failure = toFailure(error);
        if (LACKS_RIGHT.test(String(refusalIn(failure).message))) return;
        throw failure;
    }
}
