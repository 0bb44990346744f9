import type { ExpectedError, ToolFailure } from "../../plugin/index.js";

export function failure(code: string, message: string, hint = ""): ToolFailure {
    return { ok: false, error: { code, message, ...(hint && { hint }) } };
}

export function failureOf({ code, message, nextSteps }: ExpectedError): ToolFailure {
    return failure(code, message, nextSteps.join(" "));
}
