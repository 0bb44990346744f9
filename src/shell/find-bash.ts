import { constants } from "node:fs";
import path from "node:path";
import { canAccess } from "../base/paths.js";
import { NorthError } from "../base/north-error.js";

const DEFAULT_FOLDERS = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/** Returns the absolute path of bash. Rejects with `shell-unavailable`. */
export async function findBash(searchPath: string | undefined): Promise<string> {
    const folders = (searchPath ?? DEFAULT_FOLDERS.join(":")).split(":").filter(path.isAbsolute);
    for (const folder of folders) {
        const candidate = path.join(folder, "bash");
        if (canAccess(candidate, constants.X_OK)) return candidate;
    }
    throw new NorthError(
        "shell-unavailable",
        "There is no bash on the PATH to run commands with.",
        ["Install bash, or add its folder to PATH, and start North again."]
    );
}
