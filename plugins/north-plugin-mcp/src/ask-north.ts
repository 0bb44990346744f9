import type { Config } from "@oclif/core";
import type { ConfirmHookOptions, PluginSecrets } from "north-cli/plugin";
import { foldersOf, type McpFolders } from "./folders.js";

/**
 * Asks through North; anything but a yes means no. Rejects with a `NorthError` if nobody can
 * answer.
 */
export async function confirmInTerminal(
    config: Config,
    options: ConfirmHookOptions
): Promise<boolean> {
    return (await answerOf<boolean>(config, "north:confirm", { ...options })) === true;
}

/** The folders and secrets for a command. */
export async function foldersAndSecrets(config: Config): Promise<McpFolders> {
    const options = { plugin: "north-plugin-mcp" };
    const secrets = await answerOf<PluginSecrets>(config, "north:secrets", options);
    if (secrets === undefined) throw new Error("This North cannot store plugin secrets.");
    const folders = foldersOf(process.cwd(), process.env);
    const projectId = async () =>
        (await answerOf<string>(config, "north:project-id", { root: folders.root })) ?? "";
    return { ...folders, projectId, secrets };
}

/** Returns North's own answer to a hook. */
async function answerOf<Answer>(
    config: Config,
    hook: string,
    options: Record<string, unknown>
): Promise<Answer | undefined> {
    const { successes, failures } = await config.runHook(hook, options);
    for (const { error } of failures) throw error;
    const own = successes.find(({ plugin }) => plugin.name === "north-cli");
    return own?.result as Answer | undefined;
}
