import { homedir } from "node:os";
import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import { sha256 } from "../../base/sha256.js";

/** North's own folders, absolute. */
export interface NorthDirectories {
    /** User settings: `config.json`, `credentials.json`. */
    readonly config: string;
    /** Persistent data: conversations, costs, trust, objects. */
    readonly data: string;
    /** Disposable state: the log, the code cache (see bin/bundle.js). */
    readonly state: string;
}

/** Resolves the folders for this environment. Creates nothing. */
export function northDirectories(environment: NodeJS.ProcessEnv): NorthDirectories {
    const home = environment.HOME || homedir();
    const folder = (variable: string, ...standard: string[]) =>
        path.resolve(environment[variable] || path.join(home, ...standard));
    return {
        config: folder("NORTH_CONFIG_DIR", ".config", "north"),
        data: folder("NORTH_DATA_DIR", ".north"),
        state: folder("NORTH_STATE_DIR", ".local", "state", "north"),
    };
}

/** Throws `invalid-usage` for a relative path: each folder would get conversations of its own. */
export function requireAbsoluteFolders(environment: NodeJS.ProcessEnv): void {
    for (const variable of ["NORTH_CONFIG_DIR", "NORTH_DATA_DIR", "NORTH_STATE_DIR"]) {
        const folder = environment[variable];
        if (!folder || path.isAbsolute(folder)) continue;
        throw new NorthError("invalid-usage", `${variable} is not an absolute path: ${folder}`, [
            "Begin it with /, or unset it.",
        ]);
    }
}

/** A stable project name: the first 16 hex digits of the SHA-256 of its root. */
export function projectHash(root: string): string {
    return sha256(root).slice(0, 16);
}

export function projectFolder(dataFolder: string, root: string): string {
    return path.join(dataFolder, "projects", projectHash(root));
}
