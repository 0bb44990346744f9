import { createHash } from "node:crypto";
import type {
    OutputConfig,
    ThinkingConfigParam,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Message, ModelInfo, ModelRequest } from "../../../plugin/index.js";
import { BodyMemory, createTextBytes } from "../../../provider-kit/body-memory.js";
import { toJson } from "../../../provider-kit/json-text.js";
import { beginsWithThinking, toMessageParam } from "./message-mapping.js";

// https://platform.claude.com/docs/en/build-with-claude/thinking#configuring-thinking

/**
 * Between two tool calls models from 5.5 on speak in thinking blocks, which are empty unless
 * summaries are asked for.
 */
const ADAPTIVE: ThinkingConfigParam = { type: "adaptive", display: "summarized" };

/** The vendor's least budget, and ours for a model that the catalogue says nothing of. */
const LEAST_BUDGET = 1_024;

const USUAL_BUDGET = 10_000;

/** The parts of a request that say whether and how hard to think. */
interface ThinkingFields {
    readonly thinking?: ThinkingConfigParam;
    readonly output_config?: OutputConfig;
}

// https://platform.claude.com/docs/en/build-with-claude/prompt-caching

/** What is sent, and what thinking in the reply will be bound to. */
export interface RequestBody {
    readonly bytes: Buffer;
    /** Fingerprint of system prompt, tools and messages as they were sent. */
    readonly fingerprint: string;
}

/** One message as it was sent after a certain beginning. */
interface SentMessage {
    readonly after: string;
    /** `null`: the message was left out. */
    readonly bytes: Buffer | null;
    /** The same with a cache mark at its end, where it may need one. */
    readonly marked?: Buffer;
    readonly fingerprint: string;
}

const CACHED = { type: "ephemeral" } as const;
const COMMA = Buffer.from(",");
const END = Buffer.from("]}");

/**
 * The vendor looks for what it has cached up to 20 blocks before a mark. A reply with many calls and
 * its results are more than that: the reply gets a mark of its own, from which the last request's
 * end is in sight. Four marks are allowed, so the two newest of these keep theirs.
 */
const MANY_BLOCKS = 10;
const MOST_MARKS = 2;
const MARK = `,"cache_control":${JSON.stringify(CACHED)}`;

/**
 * Builds request bodies in which nothing that was sent is serialised again: each message is turned
 * into bytes once, and the messages come last, so that a request is the one before and then some.
 * Cache marks are on the system prompt and, by the vendor's automatism, on the last block, which
 * is no part of a message. The rare mark inside a message (above) goes away again; the vendor does
 * not count marks as content.
 */
export function createBodyBuilder(
    memory = new BodyMemory()
): (request: ModelRequest) => RequestBody {
    const sentByModel = new Map<string, WeakMap<Message, SentMessage>>();
    const preambleOf = createPreamble();
    const headBytes = createTextBytes();
    return (request) => {
        const known = sentByModel.get(request.model.id) ?? new WeakMap<Message, SentMessage>();
        sentByModel.set(request.model.id, known);
        const preamble = preambleOf(request);
        let { fingerprint } = preamble;
        const sent = request.messages.map((message) => {
            const one = send(message, request.model, fingerprint, known);
            fingerprint = one.fingerprint;
            return one;
        });
        const head = headBytes(headOf(request, preamble.text));
        return { bytes: memory.join(piecesOf(head, sent)), fingerprint };
    };
}

function piecesOf(head: Buffer, sent: readonly SentMessage[]): readonly Buffer[] {
    const markable = sent.filter(({ marked }) => marked !== undefined);
    const marks = new Set(markable.slice(-MOST_MARKS));
    const pieces = [head];
    for (const one of sent) {
        if (one.bytes === null) continue;
        if (pieces.length > 1) pieces.push(COMMA);
        pieces.push(marks.has(one) && one.marked !== undefined ? one.marked : one.bytes);
    }
    pieces.push(END);
    return pieces;
}

function send(
    message: Message,
    model: ModelInfo,
    after: string,
    sent: WeakMap<Message, SentMessage>
): SentMessage {
    const known = sent.get(message);
    if (known?.after === after) return known;
    const param = toMessageParam(message, model, after);
    const text = param === undefined ? null : toJson(param);
    const fresh: SentMessage = {
        after,
        bytes: text === null ? null : Buffer.from(text),
        ...(text !== null && isLongReply(message)
            ? { marked: Buffer.from(`${text.slice(0, -"}]}".length)}${MARK}}]}`) }
            : {}),
        fingerprint: text === null ? after : digest(after, text),
    };
    sent.set(message, fresh);
    return fresh;
}

function isLongReply({ role, content }: Message): boolean {
    return (
        role === "assistant" &&
        content.length >= MANY_BLOCKS &&
        content.at(-1)?.type === "tool-call"
    );
}

interface Preamble {
    readonly text: string;
    readonly fingerprint: string;
}

/** System prompt and tools: what every request of a conversation begins with, made once. */
function createPreamble(): (request: ModelRequest) => Preamble {
    const byTools = new WeakMap<ModelRequest["tools"], Preamble & { readonly system: string }>();
    return ({ system, tools }) => {
        const known = byTools.get(tools);
        if (known?.system === system) return known;
        const text = preambleText(system, tools);
        const fresh = { system, text, fingerprint: digest("", text) };
        byTools.set(tools, fresh);
        return fresh;
    };
}

function preambleText(system: string, tools: ModelRequest["tools"]): string {
    const fields = {
        ...(system === ""
            ? {}
            : { system: [{ type: "text", text: system, cache_control: CACHED }] }),
        ...(tools.length === 0
            ? {}
            : {
                  tools: tools.map(({ name, description, inputSchema }) => ({
                      name,
                      description,
                      input_schema: inputSchema,
                  })),
              }),
    };
    return toJson(fields).slice(1, -1);
}

function headOf(request: ModelRequest, preamble: string): string {
    const settings = toJson({
        model: request.model.id,
        max_tokens: request.maxOutputTokens,
        stream: true,
        cache_control: CACHED,
        ...toThinking(request),
    }).slice(0, -1);
    return `${settings},${preamble === "" ? "" : `${preamble},`}"messages":[`;
}

function digest(before: string, text: string): string {
    return createHash("sha256").update(before).update(text).digest("hex").slice(0, 32);
}

function toThinking(request: ModelRequest): ThinkingFields {
    const { model, effort } = request;
    if (model.thinking === undefined) return {};
    if (model.thinking === "budget") return toBudget(request);
    if (!request.thinking) return { thinking: notThinking(model) };
    return { thinking: ADAPTIVE, ...(effort === undefined ? {} : { output_config: { effort } }) };
}

function notThinking({ id, alwaysThinks }: ModelInfo): ThinkingConfigParam {
    if (alwaysThinks) return ADAPTIVE;
    return id.startsWith("claude-sonnet-5-5") ? { type: "between_tools" } : { type: "disabled" };
}

function toBudget(request: ModelRequest): ThinkingFields {
    if (!request.thinking || isAmidstThoughtlessCalls(request)) return {};
    const { thinkingBudget = USUAL_BUDGET } = request.model;
    const budget = Math.min(thinkingBudget, Math.floor(request.maxOutputTokens / 2));
    return budget < LEAST_BUDGET ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
}

/**
 * With a budget, a reply that called a tool must begin with the model's own thinking. Where its
 * calls were made without, thinking has to wait until the model has answered; a question that
 * follows results directly, as after a cancel, is one turn with them.
 */
function isAmidstThoughtlessCalls({ messages, model }: ModelRequest): boolean {
    const asking = messages.findLast(({ role }) => role === "assistant");
    if (asking?.role !== "assistant") return false;
    const hasCalls = asking.content.some(({ type }) => type === "tool-call");
    return hasCalls && !beginsWithThinking(asking, model);
}
