import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { PluginSecrets } from "north-cli/plugin";

/** Where servers are named, and where this plugin keeps what it knows of them. */
export interface Place {
    /** The root of the repository; servers run in it. */
    readonly root: string;
    /** The user's own settings. */
    readonly configFolder: string;
    /** Servers of the user's editor, by name. */
    readonly given?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    /** This plugin's own files. */
    readonly dataFolder: string;
    /** Sign-ins, by the hash of the definition. */
    readonly secrets: PluginSecrets;
}

/**
 * The same folders for a command of its own as the hook is told by North: see
 * docs/configuration.md#environment and docs/plugins.md.
 */
export function foldersOf(current: string, environment: NodeJS.ProcessEnv): Omit<Place, "secrets"> {
    const home = environment.HOME || homedir();
    const data = environment.NORTH_DATA_DIR || path.join(home, ".north");
    const config = environment.NORTH_CONFIG_DIR || path.join(home, ".config", "north");
    return {
        root: rootAround(realpathSync(current)),
        configFolder: path.resolve(config),
        dataFolder: path.resolve(data, "plugins", "north-plugin-mcp"),
    };
}

function rootAround(folder: string): string {
    for (let candidate = folder; ; candidate = path.dirname(candidate)) {
        if (existsSync(path.join(candidate, ".git"))) return candidate;
        if (candidate === path.dirname(candidate)) return folder;
    }
}
