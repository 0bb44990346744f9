import type { ConnectionSettings, ModelInfo } from "../../../plugin/index.js";
import {
    expectedIn,
    incompleteStream,
    networkFailure,
    noKey,
    toFailure,
    type Vendor,
} from "../../../provider-kit/failures.js";
import { createNodeHttpFetch } from "../../../provider-kit/node-http-fetch.js";
import { toVendorFailure } from "../openai/error-mapping.js";
import { hostOf } from "../../../provider-kit/server-url.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import { type CompatibleDefinition, toModelInfo } from "./definition.js";
import { toVendor } from "./vendor.js";

/** A list is short; a server that does not answer soon is not there. */
const TIME_LIMIT_MS = 5_000;

/** Where servers say how much a model takes: OpenRouter, vLLM, LM Studio; llama.cpp in `meta`. */
const CONTEXT_FIELDS = ["context_length", "max_model_len", "max_context_length", "n_ctx"];

/**
 * The models that a server offers now, with what the settings say of them. Rejects as
 * `Provider.discover` does.
 */
export async function discover(
    definition: CompatibleDefinition,
    settings: ConnectionSettings
): Promise<readonly ModelInfo[]> {
    const vendor = toVendor(definition);
    if (definition.keyVariable !== undefined && !settings.apiKey) throw noKey(vendor);
    const baseURL = settings.baseURL || definition.baseURL;
    const host = hostOf(baseURL, "Set it to something like http://127.0.0.1:11434/v1.");
    const answer = await fetchList(baseURL, settings).catch((error: unknown) => {
        throw expectedIn(error) ?? failureOf(error, host, vendor);
    });
    if (answer.status !== 200) {
        const said = saidIn(parsed(answer.text));
        const cause = new Error(`Status ${answer.status} for the list of models`);
        throw toVendorFailure({ ...answer, ...(said ? { said } : {}) }, vendor, cause);
    }
    const ids = idsIn(answer.text);
    if (ids === undefined) throw incompleteStream(`${vendor.name} sent no list of models.`);
    return ids.map(({ id, contextTokens }) => {
        const known = definition.models?.find((model) => model.id === id);
        return toModelInfo(definition, {
            id,
            ...(contextTokens ? { contextTokens } : {}),
            ...known,
        });
    });
}

async function fetchList(baseURL: string, settings: ConnectionSettings) {
    const send = settings.fetch ?? createNodeHttpFetch();
    const response = await send(`${baseURL.replace(/\/+$/, "")}/models`, {
        headers: settings.apiKey ? { authorization: `Bearer ${settings.apiKey}` } : {},
        signal: AbortSignal.timeout(TIME_LIMIT_MS),
    });
    const { status, headers } = response;
    return { status, headers, text: await response.text() };
}

function failureOf(error: unknown, host: string, vendor: Vendor): Error {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return isLate
        ? toFailure("timeout", vendor, { cause: error })
        : networkFailure(host, error, vendor);
}

function saidIn(body: unknown): string | undefined {
    const error = isJsonObject(body) ? body.error : undefined;
    const said = isJsonObject(error) ? error.message : error;
    return typeof said === "string" ? said : undefined;
}

function idsIn(text: string): readonly { id: string; contextTokens?: number }[] | undefined {
    const list = parsed(text);
    const data: unknown = isJsonObject(list) ? list.data : list;
    if (!Array.isArray(data)) return undefined;
    return data.flatMap((entry: unknown) => {
        if (!isJsonObject(entry) || typeof entry.id !== "string" || entry.id === "") return [];
        const contextTokens = contextIn(entry) ?? contextIn(entry.meta);
        return [{ id: entry.id, ...(contextTokens === undefined ? {} : { contextTokens }) }];
    });
}

function contextIn(entry: unknown): number | undefined {
    if (!isJsonObject(entry)) return undefined;
    return CONTEXT_FIELDS.map((field) => entry[field]).find(
        (value): value is number => typeof value === "number" && value > 0
    );
}

function parsed(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}
