import { checkGoogleSchema } from "./schema-checks.js";
import { check, type Fields, isFields } from "./streaming-server.js";

/**
 * Rejects what the vendor would reject:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
export interface BedrockRequest extends Fields {
    /** From the URL. */
    readonly model: string;
    readonly messages: readonly BedrockMessage[];
    readonly system?: readonly Fields[];
    readonly toolConfig?: { readonly tools: readonly Fields[] };
    readonly inferenceConfig?: Fields;
    readonly additionalModelRequestFields?: Fields;
}

export interface BedrockMessage {
    readonly role: "user" | "assistant";
    readonly content: readonly Fields[];
}

/** The thoughts that the vendor signed, by signature. */
export type SignedThoughts = ReadonlyMap<string, string>;

const FIELDS = [
    ...["messages", "system", "toolConfig", "inferenceConfig", "additionalModelRequestFields"],
    ...["serviceTier", "requestMetadata"],
];
const BLOCKS = [
    ...["text", "image", "document", "toolUse", "toolResult", "reasoningContent", "cachePoint"],
];
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const DOCUMENT_NAME = /^(?!.*\s\s)[a-zA-Z0-9\s()[\]-]{1,200}$/;
const MAX_POINTS = 4;

/** Returns the request, or throws a `Rejection`. */
export function checkBedrockRequest(
    parsed: unknown,
    model: string,
    signed: SignedThoughts
): BedrockRequest {
    check(isFields(parsed), "The request body is not valid JSON.");
    onlyKnown(parsed, FIELDS, "request");
    const request = { ...parsed, model } as BedrockRequest;
    const { messages, system = [], toolConfig, additionalModelRequestFields = {} } = request;
    const { maxTokens = 1 } = request.inferenceConfig ?? {};
    check(Number.isInteger(maxTokens) && Number(maxTokens) > 0, "maxTokens must be at least 1");
    for (const block of system) {
        check(block.cachePoint !== undefined || isText(block.text), "system: the text is blank");
    }
    checkTools(toolConfig);
    check(Array.isArray(messages) && messages.length > 0, "messages: at least one is required");
    for (const message of messages) checkMessage(message, signed);
    checkOrder(messages);
    const blocks = messages.flatMap(({ content }) => [...content]);
    const hasCalls = blocks.some(({ toolUse, toolResult }) => toolUse ?? toolResult);
    check(
        !hasCalls || toolConfig !== undefined,
        "The toolConfig field must be defined when using toolUse and toolResult content blocks."
    );
    const names = blocks.flatMap(documentNamesIn);
    check(
        new Set(names).size === names.length,
        "Messages can't contain duplicate document names. Rename the document and retry your request."
    );
    check(names.length <= 5, "You can't include more than 5 documents in a request.");
    const points = [...system, ...blocks].filter(({ cachePoint }) => cachePoint !== undefined);
    check(points.length <= MAX_POINTS, `A maximum of ${MAX_POINTS} cache points is allowed`);
    checkThinking(additionalModelRequestFields, model, Number(maxTokens), messages);
    return request;
}

/** Of a block, and of a result in it. */
function documentNamesIn({ document, toolResult }: Fields): readonly unknown[] {
    const inside = isFields(toolResult) ? (toolResult.content as readonly Fields[]) : [];
    return [...(isFields(document) ? [document.name] : []), ...inside.flatMap(documentNamesIn)];
}

function onlyKnown(fields: Fields, known: readonly string[], where: string): void {
    const unknown = Object.keys(fields).find((field) => !known.includes(field));
    check(unknown === undefined, `${where}: extraneous key [${unknown}] is not permitted`);
}

function isText(text: unknown): boolean {
    return typeof text === "string" && text.trim() !== "" && !/\p{Surrogate}/u.test(text);
}

function checkTools(toolConfig: BedrockRequest["toolConfig"]): void {
    if (toolConfig === undefined) return;
    check(toolConfig.tools.length > 0, "toolConfig.tools: at least one is required");
    const names = new Set<unknown>();
    for (const { toolSpec, ...others } of toolConfig.tools) {
        onlyKnown(others, ["cachePoint"], "toolConfig.tools");
        if (!isFields(toolSpec)) continue;
        const { name, description, inputSchema } = toolSpec;
        onlyKnown(toolSpec, ["name", "description", "inputSchema"], "toolSpec");
        check(NAME.test(String(name)) && !names.has(name), `toolSpec.name: ${String(name)}`);
        check(isText(description), "toolSpec.description: minimum length 1");
        check(isFields(inputSchema) && isFields(inputSchema.json), "toolSpec.inputSchema.json");
        checkGoogleSchema(inputSchema.json, "toolSpec.inputSchema.json");
        names.add(name);
    }
}

function checkMessage({ role, content, ...others }: BedrockMessage, signed: SignedThoughts): void {
    onlyKnown(others, [], "messages");
    check(role === "user" || role === "assistant", "messages.role");
    check(Array.isArray(content) && content.length > 0, "messages.content is empty");
    for (const block of content) checkBlock(block, role, signed);
    const hasDocuments = content.some(({ document }) => document !== undefined);
    check(
        !hasDocuments || content.some(({ text }) => text !== undefined),
        "A text block is required in a message with documents"
    );
    check(content.at(-1)?.reasoningContent === undefined, "The final block cannot be thinking");
}

function checkBlock(block: Fields, role: string, signed: SignedThoughts): void {
    onlyKnown(block, BLOCKS, "messages.content");
    check(Object.keys(block).length === 1, "A content block has exactly one member");
    const { text, toolUse, toolResult, reasoningContent, cachePoint } = block;
    if (text !== undefined) check(isText(text), "The text field in a ContentBlock is blank.");
    if (isFields(cachePoint)) {
        check(cachePoint.type === "default", "cachePoint.type");
        check([undefined, "5m", "1h"].includes(cachePoint.ttl as string), "cachePoint.ttl");
    }
    checkMedia(block);
    if (isFields(toolUse)) {
        const { toolUseId, name, input } = toolUse;
        check(role === "assistant" && NAME.test(String(toolUseId)), "toolUse.toolUseId");
        check(NAME.test(String(name)) && isFields(input), "toolUse.name and input");
    }
    if (isFields(toolResult)) {
        const { toolUseId, content, status } = toolResult;
        check(role === "user" && NAME.test(String(toolUseId)), "toolResult.toolUseId");
        check(["success", "error"].includes(String(status)), "toolResult.status");
        check(Array.isArray(content) && content.length > 0, "toolResult.content");
        for (const part of content as readonly Fields[]) {
            check(part.text === undefined || isText(part.text), "toolResult: blank text");
            checkMedia(part);
        }
    }
    if (isFields(reasoningContent)) checkThought(reasoningContent, role, signed);
}

function checkThought(thought: Fields, role: string, signed: SignedThoughts): void {
    check(role === "assistant", "reasoningContent of the user");
    const { reasoningText, redactedContent } = thought;
    if (redactedContent !== undefined) return;
    check(isFields(reasoningText), "reasoningContent.reasoningText");
    const { text, signature } = reasoningText;
    check(signed.get(String(signature)) === text, "Invalid signature in thinking block");
}

function checkMedia({ image, document }: Fields): void {
    if (isFields(image)) {
        check(["png", "jpeg", "gif", "webp"].includes(String(image.format)), "image.format");
        checkBytes(image.source);
    }
    if (isFields(document)) {
        check(document.format === "pdf", "document.format");
        check(DOCUMENT_NAME.test(String(document.name)), "document.name: invalid characters");
        checkBytes(document.source);
    }
}

function checkBytes(source: unknown): void {
    check(isFields(source), "source is required");
    check(/^[A-Za-z0-9+/]+=*$/.test(String(source.bytes)), "source.bytes is not base64");
}

const idsIn = (content: readonly Fields[], kind: "toolUse" | "toolResult") =>
    content.flatMap((block) => (isFields(block[kind]) ? [block[kind].toolUseId] : []));

function checkOrder(messages: readonly BedrockMessage[]): void {
    check(messages[0]?.role === "user", "A conversation must start with a user message.");
    for (const [index, { role, content }] of messages.entries()) {
        const before = messages[index - 1];
        check(role !== before?.role, "The roles must alternate between user and assistant.");
        const asked = idsIn(before?.content ?? [], "toolUse");
        const answered = idsIn(content, "toolResult");
        check(
            asked.length === answered.length && asked.every((id) => answered.includes(id)),
            "The number of toolResult blocks must match the toolUse blocks of the previous turn."
        );
    }
}

function checkThinking(
    additional: Fields,
    model: string,
    maxTokens: number,
    messages: readonly BedrockMessage[]
): void {
    const { thinking, output_config: output = {}, ...others } = additional;
    onlyKnown(others, [], "additionalModelRequestFields");
    check(isFields(output), "output_config");
    check([undefined, "low", "medium", "high"].includes(output.effort as string), "effort");
    if (thinking === undefined) return;
    check(model.includes("anthropic.claude") && isFields(thinking), "thinking is not supported");
    const { type, budget_tokens: budget = 0 } = thinking;
    const isOld = /-4-5-/.test(model);
    const types = isOld ? ["enabled", "disabled"] : ["adaptive", "between_tools"];
    check(types.includes(String(type)), `thinking.type: ${String(type)}`);
    if (type !== "enabled") return;
    check(Number(budget) >= 1_024 && Number(budget) < maxTokens, "thinking.budget_tokens");
    const last = messages.findLast(({ role }) => role === "assistant")?.content ?? [];
    check(
        idsIn(last, "toolUse").length === 0 || last[0]?.reasoningContent !== undefined,
        "Expected `thinking`, but found `tool_use`: a final assistant message must start with a thinking block."
    );
}
