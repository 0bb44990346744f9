import { isDeepStrictEqual } from "node:util";
import { checkGoogleSchema } from "./schema-checks.js";
import { check, type Fields, isFields } from "./streaming-server.js";

/**
 * Rejects what the vendor would reject: https://ai.google.dev/api/generate-content, and for
 * signatures https://ai.google.dev/gemini-api/docs/thought-signatures
 */

/** A valid request. */
export interface GoogleRequest extends Fields {
    /** From the URL. */
    readonly model: string;
    readonly contents: readonly GoogleContent[];
    readonly systemInstruction?: Fields;
    readonly tools?: readonly Fields[];
    readonly generationConfig?: Fields;
}

export interface GoogleContent {
    readonly role: "user" | "model";
    readonly parts: readonly Fields[];
}

/** What the vendor signed, by signature: a call, or a text. */
export type Signed = ReadonlyMap<string, unknown>;

const FIELDS = [
    ...["contents", "systemInstruction", "tools", "toolConfig", "generationConfig"],
    ...["safetySettings", "cachedContent", "service_tier"],
];
const TIERS = ["standard", "flex", "priority"];
const DATA = ["text", "inlineData", "functionCall", "functionResponse"];
const PART_FIELDS: readonly string[] = [...DATA, "thought", "thoughtSignature"];
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/;
const MEDIA = ["image/png", "image/jpeg", "image/webp", "application/pdf"];
/** For calls that the vendor's model did not make. */
const SKIP = "skip_thought_signature_validator";

/** Returns the request, or throws a `Rejection`. */
export function checkGoogleRequest(parsed: unknown, model: string, signed: Signed): GoogleRequest {
    check(isFields(parsed), "Invalid JSON payload received.");
    onlyKnown(parsed, FIELDS, "");
    const request = { ...parsed, model } as GoogleRequest;
    const { contents, systemInstruction, tools = [], generationConfig = {} } = request;
    const { service_tier: tier = "standard" } = request;
    check(TIERS.includes(String(tier)), `Invalid value at 'service_tier': ${String(tier)}`);
    if (systemInstruction !== undefined) checkText(systemInstruction);
    checkTools(tools);
    checkConfig(generationConfig, model);
    check(Array.isArray(contents) && contents.length > 0, "contents is not specified");
    for (const content of contents) checkContent(content);
    checkOrder(contents);
    if (isGemini3(model)) checkSignatures(contents, signed);
    return request;
}

function isGemini3(model: string): boolean {
    return model.startsWith("gemini-3");
}

function onlyKnown(fields: Fields, known: readonly string[], where: string): void {
    const unknown = Object.keys(fields).find((field) => !known.includes(field));
    const place = where === "" ? "" : ` at '${where}'`;
    check(
        unknown === undefined,
        `Invalid JSON payload received. Unknown name "${unknown}"${place}: Cannot find field.`
    );
}

function checkText({ parts, ...others }: Fields): void {
    onlyKnown(others, ["role"], "system_instruction");
    check(Array.isArray(parts), "system_instruction.parts must not be empty");
    for (const part of parts as readonly Fields[]) {
        check(typeof part.text === "string" && part.text !== "", "system_instruction: no text");
    }
}

function checkTools(tools: readonly Fields[]): void {
    const names = new Set<unknown>();
    for (const tool of tools) {
        onlyKnown(tool, ["functionDeclarations", "googleSearch"], "tools[0]");
        if (tool.googleSearch !== undefined) {
            const isAlone = tools.length === 1 && tool.functionDeclarations === undefined;
            check(isAlone, "Tool use with function calling is unsupported");
            continue;
        }
        for (const declaration of tool.functionDeclarations as readonly Fields[]) {
            const where = "tools[0].function_declarations[0]";
            const { name, parametersJsonSchema: schema } = declaration;
            onlyKnown(declaration, ["name", "description", "parametersJsonSchema"], where);
            check(NAME.test(String(name)), `${where}.name: Invalid function name.`);
            check(!names.has(name), `Duplicate function declaration found: ${String(name)}`);
            checkGoogleSchema(schema, `${where}.parameters_json_schema`);
            names.add(name);
        }
    }
}

function checkConfig(config: Fields, model: string): void {
    onlyKnown(config, ["maxOutputTokens", "thinkingConfig", "temperature"], "generation_config");
    const { maxOutputTokens: most = 1, thinkingConfig: thinking = {} } = config;
    check(Number.isInteger(most) && Number(most) > 0, "max_output_tokens must be positive");
    check(Number(most) <= 65_536, "The value must be from 1 (inclusive) to 65537 (exclusive)");
    check(isFields(thinking), "thinking_config");
    const { includeThoughts = false, thinkingLevel: level } = thinking;
    onlyKnown(thinking, ["includeThoughts", "thinkingLevel"], "generation_config.thinking_config");
    check(typeof includeThoughts === "boolean", "include_thoughts");
    if (level === undefined) return;
    check(isGemini3(model), "Thinking level is not supported for this model.");
    const levels = ["low", "medium", "high"];
    check(levels.includes(String(level)), "Thinking level is not supported for this model.");
}

function checkContent({ role, parts, ...others }: GoogleContent): void {
    onlyKnown(others, [], "contents[0]");
    check(role === "user" || role === "model", "Please use a valid role: user, model.");
    check(Array.isArray(parts) && parts.length > 0, "contents.parts must not be empty.");
    for (const part of parts) checkPart(part, role);
}

function checkPart(part: Fields, role: string): void {
    onlyKnown(part, PART_FIELDS, "contents[0].parts[0]");
    const kinds = DATA.filter((field) => field in part);
    check(kinds.length === 1, "contents.parts: required oneof field 'data' must have one field");
    const { text, inlineData, functionCall, functionResponse, thoughtSignature } = part;
    check(role === "model" || thoughtSignature === undefined, "A signature of the user");
    const isSigned = typeof thoughtSignature === "string" && thoughtSignature !== "";
    if (text !== undefined) {
        check(typeof text === "string" && (text !== "" || isSigned), "an empty text parameter");
        check(!/\p{Surrogate}/u.test(text), "Invalid JSON payload received: invalid UTF-8");
    }
    if (inlineData !== undefined) checkMedia(inlineData);
    if (isFields(functionCall)) {
        onlyKnown(functionCall, ["id", "name", "args"], "function_call");
        check(role === "model" && NAME.test(String(functionCall.name)), "function_call.name");
        check(isFields(functionCall.args), "function_call.args must be an object");
    }
    if (isFields(functionResponse)) {
        const { name, response, parts = [] } = functionResponse;
        onlyKnown(functionResponse, ["id", "name", "response", "parts"], "function_response");
        check(role === "user" && NAME.test(String(name)), "function_response.name: empty");
        check(isFields(response), "function_response.response must be an object");
        for (const media of parts as readonly Fields[]) checkMedia(media.inlineData);
    }
}

function checkMedia(blob: unknown): void {
    check(isFields(blob), "inline_data");
    const { mimeType, data } = blob;
    check(MEDIA.includes(String(mimeType)), `Unsupported MIME type: ${String(mimeType)}`);
    check(/^[A-Za-z0-9+/]+=*$/.test(String(data)), "inline_data: Base64 decoding failed");
}

const callsIn = ({ parts }: GoogleContent) =>
    parts.flatMap(({ functionCall }) => (isFields(functionCall) ? [functionCall] : []));
const responsesIn = ({ parts }: GoogleContent) =>
    parts.flatMap(({ functionResponse }) => (isFields(functionResponse) ? [functionResponse] : []));
const named = (list: readonly Fields[]) => list.map(({ id, name }) => ({ id, name }));

function checkOrder(contents: readonly GoogleContent[]): void {
    for (const [index, content] of contents.entries()) {
        const before = contents[index - 1];
        const calls = callsIn(content);
        const responses = responsesIn(content);
        check(
            calls.length === 0 || before?.role === "user",
            "Please ensure that function call turn comes immediately after a user turn or after a " +
                "function response turn."
        );
        if (responses.length === 0 && (before === undefined || callsIn(before).length === 0)) {
            continue;
        }
        const asked = before === undefined ? [] : named(callsIn(before));
        check(
            isDeepStrictEqual(named(responses), asked),
            "Please ensure that the number of function response parts is equal to the number of " +
                "function call parts of the function call turn."
        );
    }
}

/** In the current turn the first call of each step needs its signature; all must be genuine. */
function checkSignatures(contents: readonly GoogleContent[], signed: Signed): void {
    const begin = contents.findLastIndex(
        (content) => content.role === "user" && responsesIn(content).length === 0
    );
    for (const [index, { parts }] of contents.entries()) {
        for (const { thoughtSignature: signature, functionCall, text } of parts) {
            if (signature === undefined || signature === SKIP) continue;
            const subject = signed.get(String(signature));
            const own = isFields(functionCall) ? functionCall : text;
            check(isDeepStrictEqual(subject, own), "Thought signature is not valid");
        }
        const first = parts.find(({ functionCall }) => functionCall !== undefined);
        const isMissing = first !== undefined && first.thoughtSignature === undefined;
        check(
            index < begin || !isMissing,
            "Function call is missing a thought_signature in functionCall parts. This is required " +
                "for tools to work correctly."
        );
    }
}
