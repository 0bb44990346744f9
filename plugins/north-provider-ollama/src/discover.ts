import {
    type ConnectionSettings,
    isExpectedError,
    type JsonValue,
    type ModelInfo,
} from "north-cli/plugin";
import { failureOf, incompleteStream, isJsonObject, openServer } from "north-cli/provider-kit";
import { describeModel, OLLAMA } from "./provider.js";
import { send } from "./send.js";

// https://docs.ollama.com/api/tags, https://docs.ollama.com/api-reference/show-model-details

const LIMITS = { requestMs: 5_000, silenceMs: 5_000 };

/** The installed models, each with the window to ask for. */
export async function discover(
    settings: ConnectionSettings,
    window: number
): Promise<readonly ModelInfo[]> {
    const server = openServer(settings, OLLAMA, LIMITS);
    const signal = AbortSignal.timeout(LIMITS.requestMs);
    const ask = async (path: string, body?: object): Promise<JsonValue> =>
        (await send(server, path, signal, body)).json();
    try {
        const list = await ask("/api/tags");
        const models = isJsonObject(list) ? list.models : undefined;
        if (!Array.isArray(models)) throw incompleteStream("Ollama sent no model list.");
        const names = models.flatMap((entry: unknown) =>
            isJsonObject(entry) && typeof entry.name === "string" ? entry.name : []
        );
        const found = names.map(async (name) => {
            const shown = await ask("/api/show", { model: name }).catch((error: unknown) => {
                // A file of it is missing, or it has just been removed.
                if (isExpectedError(error)) return null;
                throw error;
            });
            return canChat(shown) ? [toModel(name, shown, window)] : [];
        });
        return (await Promise.all(found)).flat();
    } catch (error) {
        throw failureOf(error, server, ({ name }) =>
            name === "TimeoutError" ? { code: "timeout" } : undefined
        );
    }
}

/** Models for embeddings cannot; older servers do not tell. */
function canChat(shown: JsonValue): boolean {
    const capabilities = isJsonObject(shown) ? shown.capabilities : undefined;
    return !Array.isArray(capabilities) || capabilities.includes("completion");
}

function toModel(id: string, shown: unknown, window: number): ModelInfo {
    if (!isJsonObject(shown)) return describeModel(id, window);
    const { model_info: info, parameters, capabilities } = shown;
    const known = isJsonObject(info) ? info : {};
    const trained = Number(known[`${String(known["general.architecture"])}.context_length`]);
    // What the model's file asks for was chosen for this machine.
    const [, chosen] = /^num_ctx\s+(\d+)/m.exec(String(parameters)) ?? [];
    const wanted = chosen === undefined ? window : Number(chosen);
    const can = (what: string) => Array.isArray(capabilities) && capabilities.includes(what);
    return {
        ...describeModel(id, trained > 0 ? Math.min(trained, wanted) : wanted),
        ...(can("vision") ? { images: true } : {}),
        ...(can("thinking") ? { thinking: "adaptive" as const } : {}),
    };
}
