import type { JsonObject, JsonValue, ToolFailure, ToolSuccess } from "../../plugin/index.js";

export function success<Data>(
    data: Data,
    extra: Pick<ToolSuccess, "content" | "display" | "fullDisplay" | "reminder" | "progress"> = {}
): ToolSuccess<Data> {
    return { ok: true, data, ...extra };
}

/** Returns a failure: a stable code, one sentence, a next step, and candidates. */
export function failure(
    code: string,
    message: string,
    hint?: string,
    candidates?: readonly JsonValue[]
): ToolFailure {
    return {
        ok: false,
        error: { code, message, hint, candidates },
    };
}

/** Converts a value to JSON as the model will read it, without absent optional fields. */
export function asJson(value: object): JsonObject {
    return JSON.parse(JSON.stringify(value)) as JsonObject;
}
