import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";

/** Removes a folder with all that is in it, also read-only folders, which only root can empty as they are. */
export function removeFolder(folder: string): void {
    if (process.getuid?.() !== 0 && existsSync(folder)) {
        spawnSync("chmod", ["-R", "u+rwX", folder]);
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
