import type { Contribution } from "./contribution.js";
import type { PluginSecrets } from "./secrets.js";
import type { Confirmation } from "./slash-screen.js";

/** MCP servers by name, each as `.mcp.json` has it. */
export type McpServers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Options passed to a plugin's register hook. */
export interface RegisterOptions {
    readonly northVersion?: string;
    /** The repository root; absent for commands that need no repository, such as `north login`. */
    readonly root?: string;
    /** North's config folder. */
    readonly configFolder?: string;
    /** The user's settings for this plugin: `plugins.NAME` of `config.json`, not validated. */
    readonly settings?: Readonly<Record<string, unknown>>;
    /** MCP servers of the user's editor, for this session; their values are meant as they stand. */
    readonly mcpServers?: McpServers;
    /** A folder for the plugin's own files. It may not exist yet. */
    readonly dataFolder?: string;
    readonly secrets?: PluginSecrets;
}

/**
 * The oclif hook `north:register`, through which built-ins and third parties contribute: `"oclif":
 * {"hooks": {"north:register": "./dist/register"}}`, whose default export has this type. The hook
 * has 5 seconds; an error is reported in one line with the plugin's name.
 */
export type RegisterHook = (options: RegisterOptions) => Promise<Contribution>;

/** A yes or no that a command of a plugin needs. */
export interface ConfirmHookOptions extends Confirmation {
    readonly question: string;
    /** The command's flag that says yes without a terminal, such as `--yes`. */
    readonly flag: string;
}

/**
 * The oclif hook `north:confirm`, which North answers: a plugin's own command runs it to ask in the
 * terminal as North asks. It fails with a `NorthError` if there is no terminal.
 */
export type ConfirmHook = (options: ConfirmHookOptions) => Promise<boolean>;

/** The oclif hook `north:secrets`, which North answers for a plugin's own command. */
export type SecretsHook = (options: {
    /** The plugin's package name. */
    readonly plugin: string;
}) => Promise<PluginSecrets>;
