import { NorthError } from "../base/north-error.js";

/** The refusal to go on with a file whose parsing does not come to an end in good time. */
export function tooComplex(): NorthError {
    return new NorthError("too-complex", "The file takes too long to parse.", [
        "Use search_text and read_file with a range.",
    ]);
}
