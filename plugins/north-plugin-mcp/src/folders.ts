import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { PluginSecrets } from "north-cli/plugin";

/** Where servers are defined, and where this plugin stores its data. */
export interface McpFolders {
    /** The root of the repository; its own servers run in it. */
    readonly root: string;
    /** Identifies this clone of the repository. */
    readonly projectId?: (() => Promise<string>) | undefined;
    /** The folder of the user's settings. */
    readonly configFolder: string;
    /** Servers of the user's editor, by name. */
    readonly given?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    /** The plugin's own data. */
    readonly dataFolder: string;
    /** Sign-ins, by the hash of the definition. */
    readonly secrets: PluginSecrets;
}

/**
 * The folders for this plugin's own commands, as North passes them to the hook: see
 * docs/settings.md#environment and docs/plugins.md.
 */
export function foldersOf(
    current: string,
    environment: NodeJS.ProcessEnv
): Omit<McpFolders, "secrets"> {
    const home = environment.HOME || homedir();
    const data = environment.NORTH_DATA_DIR || path.join(home, ".north");
    const config = environment.NORTH_CONFIG_DIR || path.join(home, ".config", "north");
    return {
        root: rootAround(realpathSync(current)),
        configFolder: path.resolve(config),
        dataFolder: path.resolve(data, "plugins", "north-plugin-mcp"),
    };
}

/** Variables that definitions may name. */
export function environmentOf({ root }: Pick<McpFolders, "root">): NodeJS.ProcessEnv {
    return { ...process.env, [PROJECT_VARIABLE]: root };
}

/** Tells servers where the project is. */
export const PROJECT_VARIABLE = "NORTH_PROJECT_DIR";

function rootAround(folder: string): string {
    for (let candidate = folder; ; candidate = path.dirname(candidate)) {
        if (existsSync(path.join(candidate, ".git"))) return candidate;
        if (candidate === path.dirname(candidate)) return folder;
    }
}
