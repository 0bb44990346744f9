import { NorthError } from "../base/north-error.js";
import { absoluteSearchPath, findProgram } from "../base/search-path.js";

const DEFAULT_FOLDERS = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/** Returns the absolute path of bash. Rejects with `shell-unavailable`. */
export async function findBash(searchPath: string | undefined): Promise<string> {
    const folders = absoluteSearchPath(searchPath ?? DEFAULT_FOLDERS.join(":"));
    const bash = findProgram("bash", folders);
    if (bash !== undefined) return bash;
    throw new NorthError(
        "shell-unavailable",
        "There is no bash on the PATH to run commands with.",
        ["Install bash, or add its folder to PATH, and start North again."]
    );
}

export function shellUnavailable(cause?: unknown): NorthError {
    return new NorthError(
        "shell-unavailable",
        "The shell could not be started.",
        ["Try `bash --noprofile --norc -i` in a terminal to see why."],
        { cause }
    );
}
