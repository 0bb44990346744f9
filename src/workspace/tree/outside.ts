import { NorthError } from "../../base/north-error.js";

export function outside(path: string): NorthError {
    return new NorthError("outside-repository", `${path} is outside the repository.`, [
        "Use a path inside the repository, relative to its root.",
    ]);
}
