import { createHash } from "node:crypto";
import type {
    OutputConfig,
    ThinkingConfigParam,
    WebSearchTool20250305,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Message, ModelInfo, ModelRequest, WebSearch } from "../../../plugin/index.js";
import { BodyMemory, createTextBytes, ownBytes } from "../../../provider-kit/growing-body.js";
import { CACHED, type CacheMark, marked, markOf } from "../../../provider-kit/cache-marks.js";
import { toJson } from "../../../provider-kit/json-text.js";
import { CLAUDE_IMAGES, createMediaLimit } from "../../../provider-kit/newest-media.js";
import { beginsWithThinking, toMessageParam } from "./message-mapping.js";
import { PROVIDER_ID } from "./models.js";

// https://platform.claude.com/docs/en/build-with-claude/thinking#configuring-thinking

/**
 * Models from 5.5 on narrate between tool calls in thinking blocks, which are empty unless
 * summaries are requested.
 */
const ADAPTIVE: ThinkingConfigParam = { type: "adaptive", display: "summarized" };

/** The vendor's minimum, and our default for models not in the catalogue. */
const MIN_BUDGET = 1_024;

const DEFAULT_BUDGET = 10_000;

interface ThinkingFields {
    readonly thinking?: ThinkingConfigParam;
    readonly output_config?: OutputConfig;
}

/** Where the Messages API is served. */
export interface Platform {
    /** The provider's id: only its own thinking goes back. */
    readonly id: string;
    /** The first fields of a request's body. */
    readonly head: (modelId: string) => object;
}

const OWN: Platform = { id: PROVIDER_ID, head: (model) => ({ model }) };

/** A message as it was sent after a given prefix. */
interface SentMessage {
    readonly after: string;
    /** `null` if the message was left out. */
    readonly bytes: Buffer | null;
    readonly isReply: boolean;
    readonly fingerprint: string;
}

const COMMA = Buffer.from(",");
const END = Buffer.from("]}");

/**
 * Builds request bodies without serializing anything twice: each message is encoded once, and
 * messages come last, so that each request extends the previous one.
 *
 * The vendor looks for cached content up to 20 blocks before a mark, and one reply with its results
 * can be longer. So besides the system prompt and the last block (which the vendor marks itself),
 * the end of the previous request is marked: the message before the newest reply. Marks are not
 * part of the cached content.
 */
export function createBodyBuilder(
    memory = new BodyMemory(),
    platform = OWN
): (request: ModelRequest) => {
    readonly bytes: Buffer<ArrayBuffer>;
    /** Fingerprint of the system prompt, tools and messages as sent. */
    readonly fingerprint: string;
} {
    const sentByModel = new Map<string, WeakMap<Message, SentMessage>>();
    const preambleOf = createPreamble();
    const headBytes = createTextBytes();
    const withinLimit = createMediaLimit(CLAUDE_IMAGES);
    return (request) => {
        const known = sentByModel.get(request.model.id) ?? new WeakMap<Message, SentMessage>();
        sentByModel.set(request.model.id, known);
        const mark = markOf(request);
        const preamble = preambleOf(request, mark);
        let { fingerprint } = preamble;
        const sent = withinLimit(request.messages, request.model).map((message) => {
            const one = send(message, request.model, platform, fingerprint, known);
            fingerprint = one.fingerprint;
            return one;
        });
        const head = headBytes(headOf(request, platform, preamble.text, mark));
        return { bytes: memory.join(piecesOf(head, sent, mark)), fingerprint };
    };
}

function piecesOf(
    head: Buffer,
    sent: readonly SentMessage[],
    mark: CacheMark | undefined
): readonly Buffer[] {
    const messages = sent.filter(({ bytes }) => bytes !== null);
    const previousEnd = messages.findLastIndex(({ isReply }) => isReply) - 1;
    const pieces = messages.flatMap(({ bytes }, index) => {
        if (bytes === null) return [];
        return [COMMA, ...(mark && index === previousEnd ? marked(bytes, mark) : [bytes])];
    });
    return [head, ...pieces.slice(1), END];
}

function send(
    message: Message,
    model: ModelInfo,
    { id }: Platform,
    after: string,
    sent: WeakMap<Message, SentMessage>
): SentMessage {
    const known = sent.get(message);
    if (known?.after === after) return known;
    const param = toMessageParam(message, model, after, id);
    const text = param === undefined ? null : toJson(param);
    const fresh: SentMessage = {
        after,
        bytes: text === null ? null : ownBytes(text),
        isReply: message.role === "assistant",
        fingerprint: text === null ? after : digest(after, text),
    };
    sent.set(message, fresh);
    return fresh;
}

interface Preamble {
    readonly system: string;
    readonly mark: CacheMark | undefined;
    readonly searches: number;
    readonly text: string;
    readonly fingerprint: string;
}

/** Builds the system prompt and tools, with which every request of a conversation starts, once. */
function createPreamble(): (request: ModelRequest, mark: CacheMark | undefined) => Preamble {
    const byTools = new WeakMap<ModelRequest["tools"], Preamble>();
    return ({ system, tools, webSearch: { maxSearches: searches } = NO_SEARCH }, mark) => {
        const known = byTools.get(tools);
        const isSame = known?.system === system && known.searches === searches;
        if (isSame && known.mark === mark) return known;
        const text = preambleText(system, tools, searches, mark);
        const fingerprint = digest("", preambleText(system, tools, searches, CACHED));
        const fresh = { system, mark, searches, text, fingerprint };
        byTools.set(tools, fresh);
        return fresh;
    };
}

function preambleText(
    system: string,
    tools: ModelRequest["tools"],
    searches: number,
    mark: CacheMark | undefined
): string {
    const own = tools.map(({ name, description, inputSchema: input_schema }) => ({
        name,
        description,
        input_schema,
    }));
    const sent = searches > 0 ? [...own, searchTool(searches)] : own;
    return toJson({
        ...(system && { system: [{ type: "text", text: system, cache_control: mark }] }),
        ...(sent.length > 0 && { tools: sent }),
    }).slice(1, -1);
}

// https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool

const NO_SEARCH: WebSearch = { maxSearches: 0 };

/** The version that all models have; later ones also run code. */
function searchTool(most: number): WebSearchTool20250305 {
    return { type: "web_search_20250305", name: "web_search", max_uses: most };
}

function headOf(
    request: ModelRequest,
    platform: Platform,
    preamble: string,
    mark: CacheMark | undefined
): string {
    const settings = toJson({
        ...platform.head(request.model.id),
        max_tokens: request.maxOutputTokens,
        stream: true,
        cache_control: mark,
        ...toThinking(request, platform),
    }).slice(0, -1);
    return `${settings},${preamble === "" ? "" : `${preamble},`}"messages":[`;
}

function digest(before: string, text: string): string {
    return createHash("sha256").update(before).update(text).digest("hex").slice(0, 32);
}

function toThinking(request: ModelRequest, platform: Platform): ThinkingFields {
    const { model, effort } = request;
    if (model.thinking === undefined) return {};
    if (model.thinking === "budget") return toBudget(request, platform);
    if (!request.thinking) return { thinking: notThinking(model) };
    return { thinking: ADAPTIVE, ...(effort === undefined ? {} : { output_config: { effort } }) };
}

function notThinking({ id, alwaysThinks }: ModelInfo): ThinkingConfigParam {
    if (alwaysThinks) return ADAPTIVE;
    return id.startsWith("claude-sonnet-5-5") ? { type: "between_tools" } : { type: "disabled" };
}

function toBudget(request: ModelRequest, platform: Platform): ThinkingFields {
    if (!request.thinking || followsCallsWithoutThinking(request, platform)) return {};
    const { thinkingBudget = DEFAULT_BUDGET } = request.model;
    const budget = Math.min(thinkingBudget, Math.floor(request.maxOutputTokens / 2));
    return budget < MIN_BUDGET ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
}

/**
 * With a thinking budget, a reply with tool calls must begin with the model's own thinking. If the
 * calls were made without thinking, it must stay off until the model has answered. A question that
 * directly follows results (after a cancel) belongs to the same turn.
 */
function followsCallsWithoutThinking({ messages, model }: ModelRequest, { id }: Platform): boolean {
    const asking = messages.findLast(({ role }) => role === "assistant");
    if (asking?.role !== "assistant") return false;
    const hasCalls = asking.content.some(({ type }) => type === "tool-call");
    return hasCalls && !beginsWithThinking(asking, model, id);
}
