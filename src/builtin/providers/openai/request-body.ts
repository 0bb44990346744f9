import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import type { ModelRequest } from "../../../plugin/index.js";
import { BodyMemory } from "../../../provider-kit/body-memory.js";
import { createBodyJoiner } from "../../../provider-kit/growing-body.js";
import { toJson } from "../../../provider-kit/json-text.js";
import { toInputItems } from "./message-mapping.js";
import { toReasoning } from "./reasoning-mapping.js";

/** What is asked of the vendor beyond the conversation itself; not every account is given it. */
export interface Wishes {
    /** Readable summaries of the reasoning: for verified organisations only. */
    readonly summaries: boolean;
    /** Reasoning of earlier replies: encrypted, and of no use with a key of another organisation. */
    readonly reasoning: boolean;
}

/** Builds request bodies in which the conversation comes last, so that each extends the last. */
export function createBodyBuilder(
    memory = new BodyMemory()
): (request: ModelRequest, wishes: Wishes) => Buffer {
    const withReasoning = createBodyJoiner(
        (message, model) => toInputItems(message, model),
        memory
    );
    const without = createBodyJoiner(
        (message, model) => toInputItems(message, model, false),
        memory
    );
    return (request, wishes) => {
        const { messages, model } = request;
        const join = wishes.reasoning ? withReasoning : without;
        return join({ head: headOf(request, wishes), messages, model });
    };
}

function headOf(request: ModelRequest, { summaries }: Wishes): string {
    const { model, tools, system } = request;
    const reasoning = toReasoning(request, summaries);
    const settings: ResponseCreateParamsStreaming = {
        model: model.id,
        stream: true,
        // Nothing is kept at the vendor: the conversation and its reasoning are sent each time.
        store: false,
        prompt_cache_key: request.conversationId,
        max_output_tokens: request.maxOutputTokens,
        ...(reasoning ? { reasoning, include: ["reasoning.encrypted_content"] } : {}),
        ...(system === "" ? {} : { instructions: system }),
        ...(tools.length === 0
            ? {}
            : {
                  tools: tools.map(({ name, description, inputSchema }) => ({
                      type: "function",
                      name,
                      description,
                      parameters: { ...inputSchema },
                      // Strict schemas have no optional fields; ours do.
                      strict: false,
                  })),
              }),
    };
    return `${toJson(settings).slice(0, -1)},"input":[`;
}
