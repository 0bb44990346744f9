// `north-cli/messages-api`: Anthropic's wire format, for plugins that ask Claude on another platform.
import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages/messages";
import type { ModelEvent, ModelRequest } from "../../../plugin/index.js";
import type { BodyMemory } from "../../../provider-kit/growing-body.js";
import { toModelEvents } from "./reply-mapping.js";
import { createBodyBuilder, type Platform } from "./request-body.js";

export { CODE_BY_TYPE } from "./error-mapping.js";

/**
 * Prepares requests, each of which extends the bytes of the one before, and the reading of their
 * replies' events, which throws `incomplete-stream` if the end is missing. Return a body to the
 * memory when its request has ended.
 */
export function prepareMessages(memory: BodyMemory, platform?: Platform) {
    const buildBody = createBodyBuilder(memory, platform);
    return (request: ModelRequest) => {
        const { bytes, fingerprint } = buildBody(request);
        const read = (events: AsyncIterable<unknown>): AsyncIterable<ModelEvent> =>
            toModelEvents(events as AsyncIterable<RawMessageStreamEvent>, request, fingerprint);
        return { body: bytes, toModelEvents: read };
    };
}
