import { checkOpenaiDescription, checkOpenaiSchema } from "./schema-checks.js";
import { check, type Fields, isFields } from "./streaming-server.js";

/** Rejects what the vendor would reject. https://developers.openai.com/api/reference/responses */

/** A valid request. */
export interface ResponsesRequest extends Fields {
    readonly model: string;
    readonly input: readonly Fields[];
    readonly instructions?: string;
    readonly tools?: readonly Fields[];
    readonly reasoning?: Fields;
    readonly include?: readonly string[];
    readonly max_output_tokens?: number;
    readonly prompt_cache_key?: string;
    readonly service_tier?: string;
}

const FIELDS = [
    ...["model", "input", "instructions", "tools", "tool_choice", "stream", "store", "include"],
    ...["prompt_cache_key", "max_output_tokens", "reasoning", "parallel_tool_calls", "text"],
    ...["service_tier", "max_tool_calls"],
];
const ITEM_FIELDS: Readonly<Record<string, readonly string[]>> = {
    message: ["type", "role", "content", "phase"],
    function_call: ["type", "call_id", "name", "arguments"],
    function_call_output: ["type", "call_id", "output"],
    reasoning: ["type", "id", "summary", "encrypted_content", "content", "status"],
    web_search_call: ["type", "id", "status", "action"],
};
const CONTENT_FIELDS: Readonly<Record<string, readonly string[]>> = {
    input_text: ["type", "text"],
    input_image: ["type", "detail", "image_url"],
    input_file: ["type", "filename", "file_data"],
    output_text: ["type", "text", "annotations"],
};
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const DATA_URL = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/;
const FILE_URL = /^data:application\/pdf;base64,[A-Za-z0-9+/]+=*$/;

/** From the models' pages. A model without an entry does not reason. */
const EFFORTS: readonly (readonly [RegExp, readonly string[]])[] = [
    [/^gpt-(?:6\.2|6\.1-sol|6-astra)/, ["low", "medium", "high", "xhigh", "max"]],
    [/^gpt-(?:6|5\.6)/, ["none", "low", "medium", "high", "xhigh", "max"]],
    [/^gpt-5\.1$/, ["none", "low", "medium", "high"]],
    [/^gpt-5(?:-mini|-nano)?$/, ["minimal", "low", "medium", "high"]],
    [/^o\d/, ["low", "medium", "high"]],
];

/** Returns the request, or throws a `Rejection`. */
export function checkResponsesRequest(parsed: unknown): ResponsesRequest {
    check(isFields(parsed), "The body must be an object");
    onlyKnown(parsed, FIELDS, "");
    const request = parsed as ResponsesRequest;
    check(typeof request.model === "string" && request.model !== "", "Missing: 'model'.");
    check(request.stream === true, "This server only streams.");
    const { max_output_tokens: most = 16, prompt_cache_key: key = "" } = request;
    check(Number.isInteger(most) && most >= 16, "Invalid 'max_output_tokens'.");
    check(typeof key === "string" && key.length <= 64, "Invalid 'prompt_cache_key'.");
    check(request.store === false, "This server stores nothing.");
    checkTier(request);
    checkTools(request.tools ?? []);
    checkReasoning(request);
    checkSearch(request);
    check(Array.isArray(request.input) && request.input.length > 0, "Missing: 'input'.");
    request.input.forEach(checkItem);
    checkOrder(request.input);
    return request;
}

/** https://developers.openai.com/api/docs/guides/flex-processing: no model from GPT-6.2 on. */
function checkTier({ model, service_tier: tier = "auto" }: ResponsesRequest): void {
    check(["auto", "default", "flex"].includes(tier), "Invalid 'service_tier'.");
    check(
        tier !== "flex" || /^gpt-6(?:-|\.1-)/.test(model),
        `Flex is not available for ${model}.`,
        { code: "unsupported_value", param: "service_tier" }
    );
}

function onlyKnown(fields: Fields, known: readonly string[], where: string): void {
    const unknown = Object.keys(fields).find((field) => !known.includes(field));
    check(unknown === undefined, `Unknown parameter: '${where}${unknown}'.`, {
        code: "unknown_parameter",
        param: `${where}${unknown}`,
    });
}

function checkTools(tools: readonly Fields[]): void {
    const names = new Set<unknown>();
    tools.forEach((tool, index) => {
        const { type, name, parameters, strict } = tool;
        if (type === "web_search") return onlyKnown(tool, SEARCH_FIELDS, `tools[${index}].`);
        check(type === "function", `Invalid 'tools[${index}].type'.`);
        check(typeof name === "string" && NAME.test(name), `Invalid 'tools[${index}].name'.`);
        check(!names.has(name), `Duplicate tool name: ${name}`);
        names.add(name);
        checkOpenaiSchema(parameters, `tools[${index}].parameters`);
        checkOpenaiDescription(tool.description, `tools[${index}].description`);
        check(typeof strict === "boolean", `Missing: 'tools[${index}].strict'.`);
        onlyKnown(
            tool,
            ["type", "name", "description", "parameters", "strict"],
            `tools[${index}].`
        );
    });
}

/** https://developers.openai.com/api/docs/guides/tools-web-search */
const SEARCH_FIELDS = ["type", "filters", "search_context_size", "user_location"];

function checkSearch({ tools = [], max_tool_calls: most, reasoning }: ResponsesRequest): void {
    check(
        most === undefined || (Number.isInteger(most) && Number(most) > 0),
        "Invalid 'max_tool_calls'."
    );
    check(
        tools.every(({ type }) => type !== "web_search") || reasoning?.effort !== "minimal",
        "The following tools cannot be used with reasoning.effort 'minimal': web_search."
    );
}

function checkReasoning({ model, reasoning, include = [] }: ResponsesRequest): void {
    const efforts = EFFORTS.find(([family]) => family.test(model))?.[1];
    if (efforts === undefined) {
        const asks = reasoning !== undefined || include.length > 0;
        return check(!asks, "Unsupported parameter: not supported with this model.");
    }
    onlyKnown(reasoning ?? {}, ["effort", "summary", "context"], "reasoning.");
    const { effort = efforts[0], summary = "auto" } = reasoning ?? {};
    check(
        efforts.includes(String(effort)),
        `Unsupported value: '${String(effort)}' is not supported with the '${model}' model.`,
        { code: "unsupported_value", param: "reasoning.effort" }
    );
    check(["auto", "concise", "detailed"].includes(String(summary)), "Invalid summary");
    const isKnown = include.every((name) => name === "reasoning.encrypted_content");
    check(isKnown, "Invalid 'include'.");
}

function typeOf(item: Fields): string {
    return String(item.type ?? (item.role === undefined ? "" : "message"));
}

function checkItem(item: Fields, index: number): void {
    const where = `input[${index}]`;
    check(isFields(item), `Invalid type for '${where}'.`);
    const type = typeOf(item);
    const known = ITEM_FIELDS[type];
    check(known !== undefined, `Invalid value: '${type}' for '${where}.type'.`);
    onlyKnown(item, known, `${where}.`);
    if (type === "message") return checkMessage(item, where);
    if (type === "reasoning") {
        check(Array.isArray(item.summary), `Missing: '${where}.summary'.`);
        return check(typeof item.encrypted_content === "string", `Item '${item.id}' not found.`);
    }
    if (type === "web_search_call") {
        return check(isFields(item.action), `Missing: '${where}.action'.`);
    }
    const id = String(item.call_id ?? "");
    check(NAME.test(id), `Invalid '${where}.call_id': ${id}`);
    if (type === "function_call_output") {
        const { output } = item;
        if (typeof output === "string") return;
        check(Array.isArray(output) && output.length > 0, `Missing: '${where}.output'.`);
        return checkParts(output, "input_", `${where}.output`);
    }

    check(NAME.test(String(item.name)), `Invalid '${where}.name'.`);
    check(typeof item.arguments === "string", `Missing: '${where}.arguments'.`);
}

function checkMessage({ role, content, phase }: Fields, where: string): void {
    check(["user", "assistant", "developer", "system"].includes(String(role)), `${where}.role`);
    check(phase === undefined || role === "assistant", `Unknown parameter: '${where}.phase'.`);
    if (typeof content === "string") return check(content !== "", `Empty '${where}.content'.`);
    check(Array.isArray(content) && content.length > 0, `Empty '${where}.content'.`);
    checkParts(content, role === "assistant" ? "output_" : "input_", `${where}.content`);
}

function checkParts(parts: readonly Fields[], kind: string, where: string): void {
    for (const part of parts) {
        const isOurs = String(part.type).startsWith(kind);
        const known = CONTENT_FIELDS[String(part.type)];
        check(isOurs && known !== undefined, `Invalid '${where}' type ${part.type}.`);
        onlyKnown(part, known, `${where}.`);
        if (part.type === "input_image") {
            check(DATA_URL.test(String(part.image_url)), `Invalid '${where}.image_url'.`);
        } else if (part.type === "input_file") {
            check(FILE_URL.test(String(part.file_data)), `Invalid '${where}.file_data'.`);
            check(typeof part.filename === "string", `Missing: '${where}.filename'.`);
        } else {
            check(typeof part.text === "string" && part.text !== "", `Empty text in '${where}'.`);
        }
    }
}

/** Calls need an output before the next message, and reasoning needs a following item. */
function checkOrder(input: readonly Fields[]): void {
    const used = new Set<unknown>();
    const open = new Set<unknown>();
    input.forEach((item, index) => {
        const type = typeOf(item);
        if (type === "function_call") {
            check(!used.has(item.call_id), `Duplicate call_id ${item.call_id}`);
            used.add(item.call_id);
            open.add(item.call_id);
        } else if (type === "function_call_output") {
            check(
                open.delete(item.call_id),
                `No tool call found for function call output with call_id ${item.call_id}.`
            );
        } else if (type === "reasoning") {
            const next = input[index + 1];
            const isFollowed =
                next !== undefined &&
                typeOf(next) !== "function_call_output" &&
                (typeOf(next) !== "message" || next.role === "assistant");
            check(
                isFollowed,
                `Item '${item.id}' of type 'reasoning' was provided without its required following item.`
            );
        } else if (item.role !== "assistant") {
            check(open.size === 0, `No tool output found for function call ${[...open].join()}.`);
        }
    });
    check(open.size === 0, `No tool output found for function call ${[...open].join()}.`);
    check(
        input.at(-1)?.role === "user" || input.at(-1)?.type === "function_call_output",
        "The last item must ask for something"
    );
}
