import type { ConnectionSettings, ModelInfo } from "../../../plugin/index.js";
import { incompleteStream } from "../../../provider-kit/failures.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import { openClient } from "./client.js";
import { CHATGPT, describePlanModel } from "./plan.js";
import { withPlanToken } from "./plan-tokens.js";

// https://developers.openai.com/siwc/token-sharing-open-source/models-and-inference

/** Of a model that only the account's list names. */
const LIMITS = { contextTokens: 128_000, maxOutputTokens: 16_000 };

/** The models that the account's plan includes, in the vendor's order. */
export async function discover(
    settings: ConnectionSettings,
    signal?: AbortSignal
): Promise<readonly ModelInfo[]> {
    const { client, toFailure } = await openClient(withPlanToken(settings), CHATGPT);
    const answer = await client.get("/models", { signal }).catch((error: unknown) => {
        signal?.throwIfAborted();
        throw toFailure(error);
    });
    const list = isJsonObject(answer) ? answer.models : undefined;
    if (!Array.isArray(list)) throw incompleteStream(`${CHATGPT.name} sent no model list.`);
    return list.flatMap((entry: unknown) => {
        const { slug, display_name: name, visibility } = isJsonObject(entry) ? entry : {};
        if (typeof slug !== "string" || visibility !== "list") return [];
        const displayName = typeof name === "string" ? name : slug;
        return {
            ...(describePlanModel(slug) ?? { ...LIMITS, aliases: [] }),
            id: slug,
            displayName,
        };
    });
}
