import { checkOpenaiDescription, checkOpenaiSchema } from "./schema-checks.js";
import { check, type Fields, isFields } from "./streaming-server.js";

/**
 * Rejects what servers would reject. https://developers.openai.com/api/reference/chat-completions
 */

/** A valid request. */
export interface ChatRequest extends Fields {
    readonly model: string;
    readonly messages: readonly Fields[];
    readonly tools?: readonly Fields[];
    readonly max_tokens?: number;
    readonly max_completion_tokens?: number;
    readonly stream_options?: Fields;
}

const FIELDS = ["model", "messages", "stream", "tools"];
const MESSAGE_FIELDS: Readonly<Record<string, readonly string[]>> = {
    system: ["role", "content"],
    user: ["role", "content"],
    assistant: ["role", "content", "tool_calls"],
    tool: ["role", "content", "tool_call_id"],
};
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/;

/** What servers differ in. */
export interface ServerKnowledge {
    /** The message field with the server's reasoning. Only its own reasoning may come back. */
    readonly reasoningField?: string;
    /** Values of `reasoning_effort`; absent if unsupported. */
    readonly efforts?: readonly string[];
    /** The name of the output limit. Default: `max_tokens`. */
    readonly limitField?: "max_completion_tokens";
    /** Whether it takes back fields that only some servers have, with thinking and calls. */
    readonly extras?: boolean;
    /** Whether text parts may have Anthropic's cache marks. */
    readonly cacheMarks?: boolean;
    /** Whether `stream_options` is unsupported. */
    readonly neverCounts?: boolean;
}

/** Returns the request, or throws a `Rejection`. */
export function checkChatRequest(parsed: unknown, knowledge: ServerKnowledge = {}): ChatRequest {
    const { efforts, limitField = "max_tokens", neverCounts } = knowledge;
    check(isFields(parsed), "The body must be an object");
    check(
        limitField === "max_tokens" || parsed.max_tokens === undefined,
        `Unsupported parameter: 'max_tokens' is not supported with this model. Use '${limitField}' instead.`,
        { param: "max_tokens", code: "unsupported_parameter" }
    );
    onlyKnown(parsed, [
        ...[...FIELDS, limitField],
        ...(efforts ? ["reasoning_effort"] : []),
        ...(neverCounts ? [] : ["stream_options"]),
    ]);
    const request = parsed as ChatRequest;
    check(typeof request.model === "string" && request.model !== "", "you must provide a model");
    check(request.stream === true, "This server only streams.");
    const { [limitField]: most = 1 } = request;
    check(Number.isInteger(most) && most > 0, `Invalid '${limitField}'`);
    const effort = request.reasoning_effort ?? efforts?.[0];
    check(efforts?.includes(String(effort)) ?? true, "Invalid value: 'reasoning_effort'");
    checkTools(request.tools ?? []);
    check(Array.isArray(request.messages) && request.messages.length > 0, "Missing messages");
    for (const message of request.messages) checkMessage(message, knowledge);
    const marks = JSON.stringify(request.messages).match(/"cache_control":/g) ?? [];
    // https://platform.claude.com/docs/en/build-with-claude/prompt-caching#what-can-be-cached
    check(marks.length <= 4, "A maximum of 4 blocks with cache_control may be provided.");
    checkOrder(request.messages);
    return request;
}

function onlyKnown(fields: Fields, known: readonly string[]): void {
    const unknown = Object.keys(fields).find((field) => !known.includes(field));
    check(unknown === undefined, `Unsupported parameter: '${unknown}' is not supported.`, {
        param: unknown,
        code: "unsupported_parameter",
    });
}

function checkTools(tools: readonly Fields[]): void {
    const names = new Set<unknown>();
    for (const tool of tools) {
        onlyKnown(tool, ["type", "function"]);
        const definition = tool.function;
        check(tool.type === "function" && isFields(definition), "Invalid tool");
        const { name, description, parameters } = definition;
        onlyKnown(definition, ["name", "description", "parameters"]);
        check(NAME.test(String(name)), `Invalid tool name ${String(name)}`);
        check(!names.has(name), `Duplicate tool name ${String(name)}`);
        names.add(name);
        checkOpenaiSchema(parameters, String(name));
        checkOpenaiDescription(description, String(name));
    }
}

function checkMessage(message: Fields, knowledge: ServerKnowledge): void {
    const { reasoningField, extras, cacheMarks } = knowledge;
    check(isFields(message), "messages must be objects");
    const role = String(message.role);
    const known = MESSAGE_FIELDS[role];
    check(known !== undefined, `Invalid role: ${role}`);
    const own = [reasoningField ?? [], extras ? "reasoning_details" : []].flat();
    onlyKnown(message, role === "assistant" ? [...known, ...own] : known);
    const { content } = message;
    if (role !== "assistant" && Array.isArray(content)) {
        for (const part of content as Fields[]) {
            check(role === "user" || part.type === "text", `Only text is content of ${role}`);
            checkPart(part, cacheMarks);
        }
        return;
    }
    if (role === "assistant") {
        const calls = message.tool_calls;
        check(
            calls === undefined || (Array.isArray(calls) && calls.length > 0),
            "empty tool_calls"
        );
        for (const call of (calls ?? []) as Fields[]) checkCall(call, extras);
        if (content === null) return check(calls !== undefined, "content may not be null");
    }
    if (role === "tool") check(typeof message.tool_call_id === "string", "Missing tool_call_id");
    check(typeof content === "string", `Invalid content of ${role}`);
    check(content.trim() !== "" || role === "tool", `Empty content of ${role}`);
}

function checkPart(part: Fields, cacheMarks = false): void {
    if (part.type === "text") {
        onlyKnown(part, ["type", "text", ...(cacheMarks ? ["cache_control"] : [])]);
        return check(typeof part.text === "string" && part.text.trim() !== "", "Empty text");
    }
    check(part.type === "image_url" && isFields(part.image_url), `Invalid part ${part.type}`);
    onlyKnown(part, ["type", "image_url"]);
    onlyKnown(part.image_url, ["url"]);
    check(IMAGE.test(String(part.image_url.url)), "Invalid image_url");
}

function checkCall(call: Fields, extras = false): void {
    if (!extras) onlyKnown(call, ["id", "type", "function"]);
    const { id, function: called } = call;
    check(typeof id === "string" && id !== "", "Missing tool call id");
    check(id.length <= 40, `string too long: tool_calls.id, maximum length 40: ${id}`);
    check(/^[\x21-\x7e]+$/.test(id), `Invalid tool call id ${id}`);
    check(call.type === "function" && isFields(called), "Invalid tool call");
    if (!extras) onlyKnown(called, ["name", "arguments"]);
    check(NAME.test(String(called.name)), "Invalid function name");
    // Servers pass the arguments to their template as an object.
    check(isFields(JSON.parse(String(called.arguments))), "Invalid arguments");
}

function checkOrder(messages: readonly Fields[]): void {
    const used = new Set<unknown>();
    let open = new Set<unknown>();
    for (const message of messages) {
        if (message.role === "tool") {
            check(
                open.delete(message.tool_call_id),
                "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
            );
            continue;
        }
        check(
            open.size === 0,
            `'tool_calls' must be followed by tool messages responding to each: ${[...open].join()}`
        );
        const ids = ((message.tool_calls ?? []) as Fields[]).map(({ id }) => id);
        for (const id of ids) {
            check(!used.has(id), `Duplicate tool call id ${String(id)}`);
            used.add(id);
        }
        open = new Set(ids);
    }
    check(open.size === 0, `tool calls without an answer: ${[...open].join()}`);
    const isSystemFirst = messages.every(({ role }, index) => role !== "system" || index === 0);
    check(isSystemFirst, "System message must be at the beginning");
    check(["user", "tool"].includes(String(messages.at(-1)?.role)), "the last must ask");
}
