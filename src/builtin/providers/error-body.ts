import { plainText } from "../../provider-kit/failures.js";
import { isJsonObject } from "../../provider-kit/tool-input.js";

/**
 * The vendors' SDKs read only `error` from a body, and Anthropic's only an object. But vLLM and
 * FastAPI put their fields at the top level, and proxies send a plain `text`, or a page.
 */
export function withError(body: object | undefined, text = ""): object {
    if (body === undefined) return { error: { message: plainText(text) } };
    if (!isJsonObject(body)) return body;
    const { error, detail } = body;
    if (error !== undefined) return typeof error === "string" ? toError(body, error) : body;
    const message = body.message ?? (typeof detail === "string" ? detail : JSON.stringify(detail));
    return message === undefined ? body : toError(body, message);
}

function toError(body: object, message: unknown): object {
    return { error: { ...body, message } };
}
