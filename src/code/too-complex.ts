import { isExpectedError, NorthError } from "../base/north-error.js";

export function tooComplex(): NorthError {
    return new NorthError("too-complex", "The file takes too long to parse.", [
        "Use search_text and read_file with a range.",
    ]);
}

/** What parsing resolves to; `undefined` if it takes too long. */
export async function unlessTooComplex<Value>(parsing: Promise<Value>): Promise<Value | undefined> {
    return parsing.catch((error: unknown) => {
        if (isExpectedError(error) && error.code === "too-complex") return undefined;
        throw error;
    });
}
