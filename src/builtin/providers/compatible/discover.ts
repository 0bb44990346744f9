import { jsonIn } from "../../../base/fields.js";
import { withTimeLimit } from "../../../base/waiting.js";
import type { ConnectionSettings, ModelInfo } from "../../../plugin/index.js";
import { failureOf, incompleteStream } from "../../../provider-kit/failures.js";
import { LIMITS } from "../../../provider-kit/limits.js";
import { keyHeaders, openServer, type Server } from "../../../provider-kit/open-server.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import { toBodyFailure } from "../openai/error-mapping.js";
import {
    type CompatibleDefinition,
    type CompatibleModel,
    toModelInfo,
    toVendor,
} from "./definition.js";
import { toListedModel } from "./listed-model.js";

/** Lists are short; a server that does not answer soon is treated as down. */
const TIME_LIMIT_MS = 5_000;

/**
 * Lists the models the server currently offers, completed from the settings. Rejects like
 * `Provider.discover`.
 */
export async function discover(
    definition: CompatibleDefinition,
    settings: ConnectionSettings
): Promise<readonly ModelInfo[]> {
    const vendor = toVendor(definition);
    const server = openServer(settings, vendor, { ...LIMITS, requestMs: TIME_LIMIT_MS });
    const answer = await fetchList(server).catch((error: unknown) => {
        throw failureOf(error, server, ({ name }) =>
            name === "TimeoutError" ? { code: "timeout" } : undefined
        );
    });
    if (answer.status !== 200) {
        const body = jsonIn(answer.text);
        throw toBodyFailure(isJsonObject(body) ? body.error : undefined, vendor, answer);
    }
    const models = modelsIn(answer.text, `${server.baseURL}/models`);
    if (models === undefined) throw incompleteStream(`${vendor.name} sent no model list.`);
    return models.map((offered) => {
        const known = definition.models?.find(({ id }) => id === offered.id);
        return toModelInfo(definition, { ...offered, ...known });
    });
}

function fetchList(server: Server) {
    return withTimeLimit(TIME_LIMIT_MS, async (signal) => {
        const headers = keyHeaders(server);
        const response = await server.fetch(`${server.baseURL}/models`, { headers, signal });
        const { status, headers: answered } = response;
        return { status, headers: answered, text: await response.text() };
    });
}

function modelsIn(text: string, source: string): readonly CompatibleModel[] | undefined {
    const list = jsonIn(text);
    const data: unknown = isJsonObject(list) ? list.data : list;
    if (!Array.isArray(data)) return undefined;
    return data.flatMap((entry: unknown) => toListedModel(entry, source) ?? []);
}
