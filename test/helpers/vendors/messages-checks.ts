import { checkAnthropicSchema } from "./schema-checks.js";
import { check, type Fields, isFields, Rejection } from "./streaming-server.js";

/** Rejects what the vendor would reject. https://platform.claude.com/docs/en/api/messages */

export interface VendorBlock extends Fields {
    readonly type: string;
}

export interface VendorMessage {
    readonly role: "user" | "assistant";
    readonly content: readonly VendorBlock[];
}

/** A valid request. */
export interface VendorRequest extends Fields {
    readonly model: string;
    readonly max_tokens: number;
    readonly system?: readonly VendorBlock[];
    readonly tools?: readonly Fields[];
    readonly messages: readonly VendorMessage[];
    readonly thinking?: Fields;
    readonly cache_control?: Fields;
    readonly output_config?: Fields;
}

const FIELDS = new Set([
    ...["model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream"],
    ...["thinking", "cache_control", "metadata", "output_config", "stop_sequences"],
]);
const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
    text: ["type", "text", "cache_control"],
    image: ["type", "source", "cache_control"],
    document: ["type", "source", "title", "cache_control"],
    thinking: ["type", "thinking", "signature"],
    redacted_thinking: ["type", "data"],
    tool_use: ["type", "id", "name", "input", "cache_control"],
    tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
    server_tool_use: ["type", "id", "name", "input", "caller", "cache_control"],
    web_search_tool_result: ["type", "tool_use_id", "content", "caller", "cache_control"],
};
const BLOCKS_OF = {
    user: ["text", "image", "tool_result"],
    assistant: [
        ...["text", "thinking", "redacted_thinking", "tool_use"],
        ...["server_tool_use", "web_search_tool_result"],
    ],
};
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const ALWAYS_THINKING = /^claude-(opus-5-5|fable-|mythos-)/;
/** From 4.6 on, and Opus 4.5; not Sonnet 4.5 and Haiku 4.5. */
const EFFORTS = new Set(["low", "medium", "high", "xhigh", "max"]);
const BUDGET_ONLY = /-(4-5|4-1|4)(-\d{8})?$/;

/** Returns the request, or throws a `Rejection`. */
export function checkRequest(parsed: unknown): VendorRequest {
    check(isFields(parsed), "the body must be an object");
    const unknown = Object.keys(parsed).find((field) => !FIELDS.has(field));
    check(unknown === undefined, `${unknown}: extra inputs are not permitted`);
    const request = parsed as VendorRequest;
    check(typeof request.model === "string" && request.model !== "", "model: required");
    const { max_tokens: most } = request;
    check(Number.isInteger(most) && most > 0, "max_tokens: a positive integer is required");
    check(request.stream === true, "stream: this server only streams");
    checkTools(request.tools ?? []);
    (request.system ?? []).forEach((block) => checkBlock(block, ["text"]));
    check(Array.isArray(request.messages), "messages: required");
    request.messages.forEach(checkMessage);
    const turns = merge(request.messages);
    checkTurns(turns);
    checkSearches(turns);
    checkToolsAreDefined(request, turns);
    checkThinking(request, turns);
    checkEffort(request);
    const marks = JSON.stringify(request).match(/"cache_control":\{/g) ?? [];
    check(marks.length <= 4, "A maximum of 4 blocks with cache_control may be provided");
    return request;
}

function checkToolsAreDefined({ tools = [] }: VendorRequest, turns: readonly VendorMessage[]) {
    const uses = turns.some(({ content }) =>
        content.some(({ type }) => /^(server_)?tool_/.test(type))
    );
    check(
        tools.length > 0 || !uses,
        "Requests which include `tool_use` or `tool_result` blocks must define tools"
    );
}

function checkTools(tools: readonly Fields[]): void {
    const names = new Set<unknown>();
    for (const tool of tools) {
        const { name, input_schema: schema } = tool;
        if (tool.type !== undefined) {
            checkSearchTool(tool);
            names.add(name);
            continue;
        }
        check(typeof name === "string" && NAME.test(name), `tools: bad name ${String(name)}`);
        check(!names.has(name), `tools: Tool names must be unique (${name})`);
        names.add(name);
        checkAnthropicSchema(schema, `tools.${name}`);
        const known = ["name", "description", "input_schema", "cache_control"];
        const unknown = Object.keys(tool).find((field) => !known.includes(field));
        check(unknown === undefined, `tools.${name}.${unknown}: extra inputs are not permitted`);
    }
}

/** https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool */
function checkSearchTool({ type, name, max_uses: most, ...others }: Fields): void {
    check(type === "web_search_20250305", `tools: Input tag '${String(type)}'`);
    check(name === "web_search", "tools.name: Input should be 'web_search'");
    check(Number.isInteger(most) && Number(most) > 0, "tools.max_uses: greater than 0");
    check(Object.keys(others).length === 0, "tools.web_search: extra inputs are not permitted");
}

/** A search needs its results right after it, unless the reply was paused there. */
function checkSearches(turns: readonly VendorMessage[]): void {
    const blocks = turns.flatMap(({ content }) => content);
    for (const [index, { type, id, tool_use_id: of }] of blocks.entries()) {
        if (type === "server_tool_use") {
            const next = blocks[index + 1];
            const isAnswered = next?.type === "web_search_tool_result" && next.tool_use_id === id;
            check(
                isAnswered || next === undefined,
                `\`web_search\` tool use with id \`${String(id)}\` was found without a ` +
                    "corresponding `web_search_tool_result` block"
            );
        }
        if (type === "web_search_tool_result") {
            check(blocks[index - 1]?.id === of, `unexpected \`tool_use_id\`: ${String(of)}`);
        }
    }
}

function checkMessage(message: VendorMessage): void {
    check(isFields(message), "messages: must be objects");
    check(Object.keys(message).sort().join() === "content,role", "messages: extra inputs");
    check(message.role in BLOCKS_OF, `messages: role ${String(message.role)}`);
    check(
        Array.isArray(message.content) && message.content.length > 0,
        "messages: all messages must have non-empty content"
    );
    message.content.forEach((block) => checkBlock(block, BLOCKS_OF[message.role]));
    const last = message.content.at(-1)?.type ?? "";
    check(
        !["thinking", "redacted_thinking"].includes(last),
        "messages: the final block in an assistant message cannot be `thinking`"
    );
}

function checkBlock(block: VendorBlock, allowed: readonly string[]): void {
    check(isFields(block) && allowed.includes(block.type), `content: type ${String(block?.type)}`);
    const known = BLOCK_FIELDS[block.type] ?? [];
    const unknown = Object.keys(block).find((field) => !known.includes(field));
    check(unknown === undefined, `content.${unknown}: extra inputs are not permitted`);
    if (block.type === "text") {
        check(
            typeof block.text === "string" && block.text.trim() !== "",
            "text content blocks must contain non-whitespace text"
        );
    }
    if (block.type === "image") checkSource(block, IMAGE_TYPES);
    if (block.type === "document") checkSource(block, ["application/pdf"]);
    if (block.type === "tool_use") {
        check(NAME.test(String(block.id)), `tool_use.id: ${String(block.id)}`);
        check(NAME.test(String(block.name)), `tool_use.name: ${String(block.name)}`);
        check(isFields(block.input), "tool_use.input: Input should be a valid dictionary");
    }
    if (block.type === "tool_result") {
        const content: unknown = block.content ?? "";
        if (typeof content !== "string") {
            check(Array.isArray(content) && content.length > 0, "tool_result.content: a list");
            content.forEach((part) => checkBlock(part, ["text", "image", "document"]));
        }
    }
}

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

function checkSource({ type: kind, source }: VendorBlock, types: readonly string[]): void {
    check(
        isFields(source) && source.type === "base64",
        `${kind}.source.type: Input should be base64`
    );
    const type = String(source.media_type);
    check(types.includes(type), `${kind}.source.base64.media_type: ${type}`);
    const data = String(source.data);
    check(/^[A-Za-z0-9+/]+=*$/.test(data), `${kind}.source.base64.data: invalid base64`);
}

/** Merges consecutive messages of a role, which the vendor treats as one turn. */
function merge(messages: readonly VendorMessage[]): VendorMessage[] {
    const turns: VendorMessage[] = [];
    for (const { role, content } of messages) {
        const last = turns.at(-1);
        if (last?.role === role) {
            turns.splice(-1, 1, { role, content: [...last.content, ...content] });
        } else {
            turns.push({ role, content });
        }
    }
    return turns;
}

function checkTurns(turns: readonly VendorMessage[]): void {
    check(turns.at(0)?.role === "user", "messages: first message must use the user role");
    const isPaused = turns.at(-1)?.content.some(({ type }) => type === "server_tool_use") === true;
    check(
        turns.at(-1)?.role === "user" || isPaused,
        "This model does not support assistant message prefill"
    );
    const used = new Set<string>();
    let asked: string[] = [];
    for (const turn of turns) {
        const ids = turn.content
            .filter((block) => block.type === "tool_use")
            .map((block) => String(block.id));
        for (const id of ids) {
            check(!used.has(id), `tool_use ids must be unique (${id})`);
            used.add(id);
        }
        const results = turn.content.filter((block) => block.type === "tool_result");
        const answered = results.map((block) => String(block.tool_use_id));
        check(
            answered.length === asked.length && asked.every((id) => answered.includes(id)),
            `tool_use ids need exactly one tool_result each in the next message: ` +
                `asked ${asked.join() || "none"}, answered ${answered.join() || "none"}`
        );
        check(
            turn.content.slice(0, results.length).every((block) => block.type === "tool_result") ||
                results.length === 0,
            "tool_result blocks must come first"
        );
        asked = ids;
    }
}

function checkEffort({ model, output_config: config }: VendorRequest): void {
    if (config === undefined) return;
    check(isFields(config), "output_config: Input should be a valid dictionary");
    const unknown = Object.keys(config).find((field) => field !== "effort");
    check(unknown === undefined, `output_config.${unknown}: extra inputs are not permitted`);
    check(EFFORTS.has(String(config.effort)), "output_config.effort: Input should be 'low', ...");
    const takesIt = !BUDGET_ONLY.test(model) || model.startsWith("claude-opus-4-5");
    check(takesIt, "This model does not support the effort parameter.");
}

function checkThinking(request: VendorRequest, turns: readonly VendorMessage[]): void {
    const { model, thinking } = request;
    if (thinking === undefined) return;
    const isBudget = BUDGET_ONLY.test(model);
    switch (thinking.type) {
        case "adaptive":
            return check(!isBudget, "adaptive thinking is not supported on this model");
        case "between_tools":
            return check(model === "claude-sonnet-5-5", '"thinking.type.between_tools"');
        case "disabled":
            return check(
                !ALWAYS_THINKING.test(model) && model !== "claude-sonnet-5-5",
                '"thinking.type.disabled" is not supported for this model'
            );
        case "enabled": {
            check(isBudget, '"thinking.type.enabled" is not supported for this model');
            const budget = Number(thinking.budget_tokens);
            check(
                Number.isInteger(budget) && budget >= 1_024,
                "thinking.budget_tokens: at least 1024"
            );
            check(budget < request.max_tokens, "`max_tokens` must be greater than `budget_tokens`");
            const last = turns.at(-2)?.content ?? [];
            const isAnswered = last.some((block) => block.type === "tool_use");
            const begins = ["thinking", "redacted_thinking"].includes(last.at(0)?.type ?? "");
            return check(!isAnswered || begins, "Expected `thinking` or `redacted_thinking`");
        }
        default:
            throw new Rejection(`thinking.type: ${String(thinking.type)}`);
    }
}
