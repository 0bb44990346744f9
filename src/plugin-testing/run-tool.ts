import type { JsonObject, Proposal, Tool, ToolContext, ToolResult } from "../plugin/index.js";
import { type Fields, isFields } from "../base/fields.js";
import { mediaRefusal, mediaTypeOf } from "../base/media-type.js";
import { isExpectedError } from "../base/north-error.js";
import { Problems } from "./contract-error.js";
import { frozenCopy, isJson, isOneLine } from "./json.js";
import { toolContext } from "./tool-context.js";
import { within } from "../base/waiting.js";

const CODE = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const CANCEL_LIMIT_MS = 2_000;

/**
 * Runs an approved tool once and checks its result: JSON, errors with a code, a printable summary
 * and digest. Resolves to the result; rejects with a `ContractError`, or with the tool's own
 * expected error.
 */
export async function runTool(
    tool: Tool,
    input: JsonObject,
    context: ToolContext = toolContext()
): Promise<ToolResult | Proposal> {
    const problems = new Problems(`Tool ${tool.name}`);
    const answer = await perform(tool, frozenCopy(input), context).catch((error: unknown) => {
        if (isExpectedError(error)) throw error;
        problems.unless(false, `it threw ${String(error)}, which has no northError marker`);
        return undefined;
    });
    if (answer !== undefined) checkAnswer(tool, input, answer, problems);
    problems.throwAny();
    if (answer === undefined) throw new Error(`Tool ${tool.name} returned nothing.`);
    return answer;
}

/** Checks that a call ends soon after a cancel, whatever its outcome. */
export async function checkCancelled(
    tool: Tool,
    input: JsonObject,
    context: ToolContext = toolContext()
): Promise<void> {
    const controller = new AbortController();
    const running = perform(tool, frozenCopy(input), { ...context, signal: controller.signal });
    controller.abort();
    const ended = running.then(
        () => undefined,
        () => undefined
    );
    await within(CANCEL_LIMIT_MS, ended, () => {
        throw new Error(`Tool ${tool.name}, cancelled, took more than ${CANCEL_LIMIT_MS} ms`);
    });
}

async function perform(tool: Tool, input: JsonObject, context: ToolContext) {
    return tool.approval === "write" ? tool.propose(input, context) : tool.execute(input, context);
}

function checkAnswer(
    tool: Tool,
    input: JsonObject,
    answer: ToolResult | Proposal,
    problems: Problems
): void {
    problems.unless(typeof answer.ok === "boolean", "its answer has no ok");
    if (!answer.ok) {
        const { code, message } = answer.error;
        problems.unless(CODE.test(code), `the error's code ${code} is not kebab-case`);
        problems.unless(isOneLine(message), "the error's message is not one line");
        problems.unless(isJson(answer.error), "its error is not JSON");
    } else if ("data" in answer) {
        checkData(tool, input, answer.data, problems);
        checkContent(answer.content ?? [], problems);
    } else {
        problems.unless(Array.isArray(answer.changeSet.changes), "changeSet has no changes");
        const paths = answer.changeSet.changes.map(({ path }) => path);
        problems.unless(new Set(paths).size === paths.length, "a path is changed twice");
    }
}

function checkData(tool: Tool, input: JsonObject, data: unknown, problems: Problems): void {
    problems.unless(isJson(data), "its data does not survive JSON");
    if (tool.approval === "write") return;
    const summary = problems.attempt("summary", () => tool.summary?.(data, input));
    problems.unless(summary === undefined || isOneLine(summary), "its summary is not one line");
    const digest = problems.attempt("digest", () => tool.digest?.(data, input));
    problems.unless(digest === undefined || isJson(digest.data), "its digest is not JSON");
}

/** Vendors reject a conversation with an invalid image, so North sends text in its place. */
function checkContent(content: unknown, problems: Problems): void {
    problems.unless(Array.isArray(content), "its content is not a list");
    const parts: readonly unknown[] = Array.isArray(content) ? content : [];
    for (const [index, part] of parts.entries()) {
        const what = `part ${index + 1} of its content is not what it says it is`;
        problems.unless(isFields(part) && isPart(part), what);
    }
}

function isPart({ type, text, path, mediaType, data }: Fields): boolean {
    if (type === "text") return typeof text === "string";
    if (type === "file") return isOneLine(path);
    if (typeof data !== "string" || typeof mediaType !== "string") return false;
    const bytes = Buffer.from(data, "base64");
    const isDocument = mediaType === "application/pdf";
    const isTyped = type === (isDocument ? "document" : "image");
    const refusal = mediaRefusal(mediaType, bytes, Buffer.byteLength(data, "base64"));
    return isTyped && mediaTypeOf(bytes) === mediaType && refusal === undefined;
}
