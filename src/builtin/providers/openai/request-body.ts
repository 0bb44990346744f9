import type { ResponseCreateParamsStreaming, Tool } from "openai/resources/responses/responses";
import type { Reasoning, ReasoningEffort } from "openai/resources/shared";
import type { ModelRequest } from "../../../plugin/index.js";
import { BodyMemory, createBodyJoiner } from "../../../provider-kit/growing-body.js";
import { toInputItems } from "./message-mapping.js";
import { PROVIDER_ID } from "./models.js";

// https://developers.openai.com/api/docs/guides/reasoning

/** Several models do not reason at all without an explicit effort. */
const DEFAULT_EFFORT = "medium";

/** The lowest effort each family accepts, per its model page; all others accept `low`. */
const MIN_EFFORT: readonly (readonly [RegExp, ReasoningEffort])[] = [
    [/-codex/, "low"],
    [/^gpt-(?:6\.1-terra|6-luna|6-sol|5\.[1-6])/, "none"],
    [/^gpt-5(?:-mini|-nano)?(?:-\d{4}|$)/, "minimal"],
];

/** Features the vendor refuses to some accounts. */
export type RefusedFeature =
    /** Readable reasoning summaries: verified organizations only. */
    | "summaries"
    /** Reasoning of earlier replies: encrypted, and useless with another organization's key. */
    | "reasoning";

/** A ChatGPT plan takes less: https://developers.openai.com/siwc/token-sharing-open-source/preview-limitations */
export type Dialect = "plan";

/** Groups North's tools, as a plan wants; calls name it. */
const NAMESPACE = { name: "north", description: "Tools on the user's machine." };

type RefusedFeatures = ReadonlySet<RefusedFeature>;

/**
 * Builds request bodies with the conversation last, so that each request extends the previous one.
 */
export function createBodyBuilder(
    memory = new BodyMemory(),
    providerId = PROVIDER_ID,
    dialect?: Dialect
): (request: ModelRequest, refused: RefusedFeatures) => Buffer {
    const namespace = dialect && NAMESPACE.name;
    const joiner = (withReasoning: boolean) =>
        createBodyJoiner(
            "input",
            (message, model) =>
                toInputItems(message, model, { providerId, withReasoning, namespace }),
            memory
        );
    const [withReasoning, without] = [joiner(true), joiner(false)];
    return (request, refused) => {
        const { messages, model } = request;
        const join = refused.has("reasoning") ? without : withReasoning;
        const settings = settingsOf(request, refused);
        return join({ settings: dialect ? onPlan(settings) : settings, messages, model });
    };
}

function onPlan({
    max_output_tokens: _most,
    tools,
    ...settings
}: ResponseCreateParamsStreaming): ResponseCreateParamsStreaming {
    const functions = tools?.filter((tool) => tool.type === "function") ?? [];
    if (functions.length === 0) return settings;
    return { ...settings, tools: [{ type: "namespace", ...NAMESPACE, tools: functions }] };
}

function settingsOf(
    request: ModelRequest,
    refused: RefusedFeatures
): ResponseCreateParamsStreaming {
    const { model, system, webSearch } = request;
    const tools = toolsOf(request);
    const reasoning = toReasoning(request, !refused.has("summaries"));
    return {
        model: model.id,
        stream: true,
        // Nothing is stored at the vendor: each request sends the conversation and its reasoning.
        store: false,
        prompt_cache_key: request.conversationId,
        max_output_tokens: request.maxOutputTokens,
        ...(request.tier && { service_tier: request.tier }),
        ...(reasoning && { reasoning, include: ["reasoning.encrypted_content"] }),
        ...(system && { instructions: system }),
        ...(tools.length > 0 && { tools }),
        ...(webSearch && { max_tool_calls: webSearch.maxSearches }),
    };
}

/** https://developers.openai.com/api/docs/guides/tools-web-search */
function toolsOf({ tools, webSearch }: ModelRequest): Tool[] {
    const own = tools.map(({ name, description, inputSchema }) => ({
        type: "function" as const,
        name,
        description,
        parameters: { ...inputSchema },
        // Strict schemas cannot have optional fields; ours do.
        strict: false,
    }));
    return webSearch ? [...own, { type: "web_search" }] : own;
}

/** The request's `reasoning`; `undefined` omits the field. */
function toReasoning(
    { model, thinking, effort = DEFAULT_EFFORT, webSearch }: ModelRequest,
    withSummary: boolean
): Reasoning | undefined {
    if (model.thinking === undefined) return undefined;
    const summary = thinking && withSummary ? { summary: "auto" as const } : {};
    // One effort only, which is the default.
    if (model.efforts === undefined) return summary;
    const lowest = MIN_EFFORT.find(([family]) => family.test(model.id))?.[1] ?? "low";
    // Models do not search with this one.
    const least = webSearch && lowest === "minimal" ? "low" : lowest;
    return { effort: thinking ? effort : least, ...summary };
}
