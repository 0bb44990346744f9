import { NorthError } from "../base/north-error.js";

export function tooComplex(): NorthError {
    return new NorthError("too-complex", "The file takes too long to parse.", [
        "Use search_text and read_file with a range.",
    ]);
}
