import { checkMistralSchema } from "./schema-checks.js";
import { check, type Fields, isFields } from "./streaming-server.js";

/**
 * Rejects what the vendor would reject. https://docs.mistral.ai/api/endpoint/chat, and the vendor's
 * own message checks: https://github.com/mistralai/mistral-common
 */

/** A valid request. */
export interface MistralRequest extends Fields {
    readonly model: string;
    readonly messages: readonly Fields[];
    readonly tools?: readonly Fields[];
    readonly reasoning_effort?: string;
    readonly prompt_cache_key?: string;
}

const FIELDS = [
    ...["model", "messages", "max_tokens", "stream", "tools", "reasoning_effort"],
    ...["prompt_cache_key", "safe_prompt"],
];
const MESSAGE_FIELDS: Readonly<Record<string, readonly string[]>> = {
    system: ["role", "content"],
    user: ["role", "content"],
    assistant: ["role", "content", "tool_calls", "prefix"],
    tool: ["role", "content", "tool_call_id", "name"],
};
const CHUNK_FIELDS: Readonly<Record<string, readonly string[]>> = {
    text: ["type", "text"],
    image_url: ["type", "image_url"],
    thinking: ["type", "thinking", "signature", "closed"],
};
const CHUNKS_OF: Readonly<Record<string, readonly string[]>> = {
    system: ["text"],
    user: ["text", "image_url"],
    assistant: ["text", "thinking"],
    tool: ["text"],
};
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ID = /^[a-zA-Z0-9]{9}$/;
const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/;
const REASONS = /^(?:mistral-(?:medium-2604|large-4|small-2603))/;

/** The roles that may follow each role. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
    system: ["user", "assistant", "system"],
    user: ["assistant", "system", "user"],
    assistant: ["assistant", "user", "tool"],
    tool: ["assistant", "tool"],
};

/** Returns the request, or throws a `Rejection`. */
export function checkMistralRequest(parsed: unknown): MistralRequest {
    check(isFields(parsed), "the body must be an object");
    onlyKnown(parsed, FIELDS);
    const request = parsed as MistralRequest;
    const { model, max_tokens: most = 1, reasoning_effort: effort } = request;
    check(typeof model === "string" && model !== "", "model: Field required");
    check(Number.isInteger(most) && Number(most) > 0, "max_tokens: Input should be greater than 0");
    check(request.stream === true, "This server only streams");
    check(effort === undefined || ["none", "high"].includes(effort), "reasoning_effort: enum");
    check(
        effort === undefined || REASONS.test(model),
        "reasoning_effort is not enabled for this model"
    );
    checkTools(request.tools ?? []);
    check(Array.isArray(request.messages), "messages: Field required");
    check(request.messages.length > 0, "Conversation must have at least one message");
    for (const message of request.messages) checkMessage(message);
    checkOrder(request.messages);
    return request;
}

function onlyKnown(fields: Fields, known: readonly string[]): void {
    const unknown = Object.keys(fields).find((field) => !known.includes(field));
    check(unknown === undefined, `Extra inputs are not permitted: ${unknown}`);
}

function checkTools(tools: readonly Fields[]): void {
    const names = new Set<unknown>();
    for (const tool of tools) {
        onlyKnown(tool, ["type", "function"]);
        const definition = tool.function;
        check(tool.type === "function" && isFields(definition), "Invalid tool");
        const { name } = definition;
        onlyKnown(definition, ["name", "description", "parameters", "strict"]);
        checkName(name);
        check(!names.has(name), `Duplicate tool name ${String(name)}`);
        names.add(name);
        checkMistralSchema(definition.parameters, String(name));
    }
}

function checkName(name: unknown): void {
    check(
        NAME.test(String(name)),
        `Function name was ${String(name)} but must be a-z, A-Z, 0-9, or contain underscores and ` +
            `dashes, with a maximum length of 64.`
    );
}

function checkId(id: unknown): void {
    check(
        ID.test(String(id)),
        `Tool call id was ${String(id)} but must be a-z, A-Z, 0-9, with a length of 9.`,
        { type: "invalid_function_call", code: "3280" }
    );
}

function checkMessage(message: Fields): void {
    check(isFields(message), "messages must be objects");
    const role = String(message.role);
    const known = MESSAGE_FIELDS[role];
    check(known !== undefined, `role: ${role}`);
    onlyKnown(message, known);
    const { content } = message;
    if (Array.isArray(content)) for (const chunk of content) checkChunk(chunk, role);
    else check(typeof content === "string" || content == null, `Invalid content of ${role}`);
    const isEmpty = content == null || content === "" || (content as unknown[]).length === 0;
    if (role === "assistant") {
        const calls = (message.tool_calls ?? []) as readonly Fields[];
        check(
            !isEmpty || calls.length > 0,
            "Assistant message must have either content or tool_calls, but not none."
        );
        calls.forEach(checkCall);
    } else if (role === "tool") {
        check(message.name == null || NAME.test(String(message.name)), "Invalid name of tool");
        checkId(message.tool_call_id);
    } else {
        check(!isEmpty, `Empty ${role} message`);
    }
}

function checkChunk(chunk: unknown, role: string): void {
    check(isFields(chunk), "content chunks must be objects");
    const type = String(chunk.type);
    const known = CHUNK_FIELDS[type];
    check(known !== undefined && CHUNKS_OF[role]?.includes(type) === true, `${role}: ${type}`);
    onlyKnown(chunk, known);
    if (type === "text") check(typeof chunk.text === "string" && chunk.text !== "", "Empty text");
    if (type === "image_url") check(IMAGE.test(String(chunk.image_url)), "Invalid image_url");
    if (type === "thinking") {
        check(Array.isArray(chunk.thinking) && chunk.thinking.length > 0, "Empty thinking");
    }
}

function checkCall(call: Fields): void {
    onlyKnown(call, ["id", "type", "function", "index"]);
    checkId(call.id);
    const called = call.function;
    check(isFields(called), "Invalid tool call");
    onlyKnown(called, ["name", "arguments"]);
    checkName(called.name);
    check(isFields(JSON.parse(String(called.arguments))), "Invalid arguments");
}

function checkOrder(messages: readonly Fields[]): void {
    let open: unknown[] = [];
    for (const [index, message] of messages.entries()) {
        const role = String(message.role);
        const before = messages[index - 1];
        check(
            before === undefined || AFTER[String(before.role)]?.includes(role) === true,
            `Unexpected role '${role}' after role '${String(before?.role)}'`,
            { type: "invalid_request_message_order", code: "3230" }
        );
        if (role === "tool") {
            check(open.includes(message.tool_call_id), `No call ${String(message.tool_call_id)}`);
            open = open.filter((id) => id !== message.tool_call_id);
            continue;
        }
        check(open.length === 0, "Not the same number of function calls and responses");
        open = ((message.tool_calls ?? []) as readonly Fields[]).map(({ id }) => id);
        check(new Set(open).size === open.length, "Duplicate tool call ids");
    }
    check(open.length === 0, "Not the same number of function calls and responses");
    const last = String(messages.at(-1)?.role);
    check(
        ["user", "tool"].includes(last),
        `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last}`
    );
}
