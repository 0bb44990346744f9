import type { ConnectionSettings, ModelConnection } from "../../../plugin/index.js";
import { isExpectedError } from "../../../base/north-error.js";
import { BodyMemory } from "../../../provider-kit/growing-body.js";
import { type Limits, LIMITS, limitsFor } from "../../../provider-kit/limits.js";
import { connectBy } from "../connect-by.js";
import { openClient } from "../openai/client.js";
import { refusalIn } from "../openai/error-mapping.js";
import type { Chunk } from "./chunk.js";
import { type CompatibleDefinition, toVendor } from "./definition.js";
import { REASONING_CONTENT } from "./message-mapping.js";
import { toModelEvents } from "./reply-mapping.js";
import { createBodyBuilder, type Quirk } from "./request-body.js";

const QUIRK_BY_FIELD: Readonly<Record<string, Quirk>> = {
    /**
     * DeepSeek requires it in every message with tool calls, even if another model wrote it without
     * thinking. https://api-docs.deepseek.com/guides/thinking_mode#tool-calls
     */
    [REASONING_CONTENT]: "needs-reasoning",
    reasoning_effort: "refuses-effort",
    max_completion_tokens: "renames-limit",
    stream_options: "refuses-counts",
    cache_control: "refuses-marks",
    reasoning_details: "refuses-extras",
    extra_content: "refuses-extras",
    provider_specific_fields: "refuses-extras",
};

/** Connects through OpenAI's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    definition: CompatibleDefinition,
    settings: ConnectionSettings,
    limits: Limits = limitsFor(definition.silenceMs ?? LIMITS.silenceMs)
): Promise<ModelConnection> {
    const vendor = toVendor(definition);
    const memory = new BodyMemory();
    const buildBody = createBodyBuilder(definition.name, memory);
    return connectBy<Chunk, Quirk>(await openClient(settings, vendor, limits), memory, {
        path: "/chat/completions",
        prepare: (request, quirks) => ({
            body: buildBody(request, quirks),
            toModelEvents: (chunks) => toModelEvents(chunks, request, vendor),
        }),
        quirkIn,
    });
}

/** Servers have no error code for these, but mention the field. */
function quirkIn(error: unknown): Quirk | undefined {
    if (!isExpectedError(error) || error.code !== "invalid-request") return undefined;
    const { message, param } = refusalIn(error);
    const said = typeof message === "string" ? message : "";
    const field = Object.keys(QUIRK_BY_FIELD).find((name) => param === name || said.includes(name));
    return field === undefined ? undefined : QUIRK_BY_FIELD[field];
}
