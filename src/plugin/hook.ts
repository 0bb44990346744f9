import type { AgentList, AgentListRequest } from "./agents.js";
import type { Check } from "./check.js";
import type { ContextSource } from "./context.js";
import type { Observer } from "./observer.js";
import type { Provider } from "./provider.js";
import type { SlashCommand } from "./slash-command.js";
import type { Confirmation } from "./slash-screen.js";
import type { Tool } from "./tool.js";

/**
 * A plugin's contribution: plain data returned by its `north:register` hook. Parts that are invalid
 * or whose names are taken are dropped and reported in one line; the rest is used.
 */
export interface Contribution {
    /** Contract version. */
    readonly apiVersion: 1;
    readonly tools?: readonly Tool[];
    readonly providers?: readonly Provider[];
    readonly slashCommands?: readonly SlashCommand[];
    readonly contextSources?: readonly ContextSource[];
    readonly checks?: readonly Check[];
    readonly observers?: readonly Observer[];
    /** Problems that the user should know about, one sentence each. */
    readonly problems?: readonly string[];
    /** Lists the kinds of sub-agents that the plugin's tools can start, for `north tools`. */
    listAgents?(request: AgentListRequest): Promise<AgentList>;
    /** Stops what the plugin started; called once, and the session ends within half a second. */
    close?(): Promise<void>;
}

/**
 * A plugin's own secrets, such as the tokens of a sign-in. They are stored like API keys: in the
 * system's keychain, or without one in `credentials.json` with mode 0600.
 */
export interface PluginSecrets {
    /** `undefined` if there is no such secret. */
    find(name: string): Promise<string | undefined>;
    save(name: string, secret: string): Promise<void>;
    /** Resolves to whether the secret existed. */
    remove(name: string): Promise<boolean>;
}

/** MCP servers by name, in the format of `.mcp.json`. */
export type McpServers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface RegisterOptions {
    readonly northVersion?: string;
    /** The repository root; absent for commands that need no repository, such as `north login`. */
    readonly root?: string;
    /** North's configuration folder, which holds `config.json`. */
    readonly configFolder?: string;
    /** The user's settings for this plugin: `plugins.NAME` of `config.json`, not validated. */
    readonly settings?: Readonly<Record<string, unknown>>;
    /** MCP servers from the user's editor, for this session; their values are used literally. */
    readonly mcpServers?: McpServers;
    /** A folder for the plugin's own files. It may not exist yet. */
    readonly dataFolder?: string;
    readonly secrets?: PluginSecrets;
    /**
     * Resolves to what identifies this clone of the repository: another one at the same path has
     * another. Permissions for what a repository brings along must include it.
     */
    readonly projectId?: () => Promise<string>;
}

/**
 * The oclif hook `north:register`, with which plugins contribute, declared in package.json as
 * `"oclif": {"hooks": {"north:register": "./dist/register"}}`. The module's default export has this
 * type. The hook has 5 seconds; an error is reported in one line with the plugin's name.
 */
export type RegisterHook = (options: RegisterOptions) => Promise<Contribution>;

/** A yes/no question from a plugin's command. */
export interface ConfirmHookOptions extends Confirmation {
    readonly question: string;
    /** The flag that answers yes without a terminal, such as `--yes`. */
    readonly flag: string;
}

/**
 * The oclif hook `north:confirm`, implemented by North: a plugin's own command runs it to ask in
 * the terminal with North's prompt. Rejects with a `NorthError` if there is no terminal.
 */
export type ConfirmHook = (options: ConfirmHookOptions) => Promise<boolean>;

/** The oclif hook `north:project-id`, implemented by North: `projectId` for a plugin's command. */
export type ProjectIdHook = (options: { readonly root: string }) => Promise<string>;

/** The oclif hook `north:secrets`, implemented by North: a plugin's command gets its secrets. */
export type SecretsHook = (options: {
    /** The plugin's package name. */
    readonly plugin: string;
}) => Promise<PluginSecrets>;
