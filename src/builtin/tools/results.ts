import type { JsonValue, ToolFailure, ToolSuccess } from "../../plugin/index.js";

export function success<Data>(
    data: Data,
    extra: Pick<ToolSuccess, "content" | "display" | "fullDisplay" | "reminder" | "progress"> = {}
): ToolSuccess<Data> {
    return { ok: true, data, ...extra };
}

/** The tool could not: a stable code, one sentence, what to do next, the places to choose from. */
export function failure(
    code: string,
    message: string,
    hint?: string,
    candidates?: readonly JsonValue[]
): ToolFailure {
    return {
        ok: false,
        error: {
            code,
            message,
            ...(hint === undefined ? {} : { hint }),
            ...(candidates === undefined ? {} : { candidates }),
        },
    };
}

/** A value as the model will read it: optional fields that are absent are gone. */
export function asJson(value: object): JsonValue {
    return JSON.parse(JSON.stringify(value)) as JsonValue;
}
