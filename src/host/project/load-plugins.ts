import path from "node:path";
import type { Config, Interfaces } from "@oclif/core";
import { within } from "../../base/waiting.js";
import { type Config as Settings, policyIn, readConfig } from "../../storage/config.js";
import { readStoredCatalogue } from "../../storage/model-catalogue.js";
import { northDirectories } from "../../storage/files/directories.js";
import { type Fields, isFields } from "../../base/fields.js";
import { withCatalogue } from "../../core/registry/model-catalogue.js";
import { correctModels } from "../../core/registry/correct-models.js";
import { keyVariables } from "../../core/registry/models.js";
import { buildRegistry, OWN_PLUGIN } from "../../core/registry/registry.js";
import type {
    McpServers,
    PluginSecrets,
    ProjectIdHook,
    RegisterOptions,
    SecretsHook,
} from "../../plugin/index.js";
import { makeCloneIdentity } from "../../storage/grants/clone-identity.js";
import { takeKeys } from "../../storage/secrets/key-environment.js";
import { type Keychain, systemKeychain } from "../../storage/secrets/keychain.js";
import { deleteApiKey, findApiKey, saveApiKey } from "../../storage/secrets/secrets.js";
import { warn } from "../warn.js";

/** Time limit for one plugin to load and contribute, in milliseconds. */
const TIME_LIMIT = 5_000;

/** Reaches no server, so no policy forbids it. */
const OFFLINE = "offline";

interface RegistryOptions {
    readonly root?: string;
    readonly mcpServers?: McpServers | undefined;
    /** Default: the settings in `config.json`. */
    readonly settings?: Settings;
}

/** North's own contribution first, then by name. Failing or hanging plugins add to `problems`. */
export async function loadRegistry(
    config: Config,
    { root, mcpServers, settings: given }: RegistryOptions = {}
) {
    const directories = northDirectories(process.env);
    const settings = given ?? (await readConfig(directories.config));
    const policy = policyIn(settings);
    const installed = [...config.plugins.values()]
        .filter(({ hooks }) => hooks["north:register"])
        .sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
    const plugins = installed.filter(
        ({ name }) => name === OWN_PLUGIN || policy?.allows("plugins", name) !== false
    );
    const refused = installed
        .filter((plugin) => !plugins.includes(plugin))
        .map(({ name }) => `${policy?.refusal(`The plugin ${name}`)}.`);
    const answers = await Promise.all(
        plugins.map((plugin) =>
            ask(config, plugin, {
                northVersion: config.version,
                ...(root === undefined ? {} : { root, projectId: () => makeCloneIdentity(root) }),
                mcpServers,
                configFolder: directories.config,
                settings: settingsOf(plugin, settings),
                dataFolder: path.join(directories.data, "plugins", plugin.name),
                secrets: pluginSecrets(plugin.name, process.env),
            })
        )
    );
    const registry = buildRegistry(answers.flatMap(({ contributed }) => contributed ?? []));
    takeKeys(keyVariables(registry));
    const failures = answers.flatMap(({ problem }) => problem ?? []);
    const catalogue = await readStoredCatalogue(directories.data);
    const known = withCatalogue(registry.providers, catalogue?.models ?? []);
    const correction = correctModels(known, settings.models);
    const invalidModels = correction.problems.map((problem) => `config.json: ${problem}`);
    return {
        ...registry,
        providers: new Map(
            [...correction.providers].filter(
                ([id]) => id === OFFLINE || policy?.allows("providers", id) !== false
            )
        ),
        /** `provider/id` of each model that `config.json` corrected or added. */
        correctedModels: correction.corrected,
        problems: [...refused, ...failures, ...invalidModels, ...registry.problems],
    };
}

/** For North itself, the settings are the whole file. */
function settingsOf({ name }: Interfaces.Plugin, settings: Settings): Fields {
    if (name === OWN_PLUGIN) return settings;
    const own = isFields(settings.plugins) ? settings.plugins[name] : undefined;
    return isFields(own) ? own : {};
}

/** North sorts before all others. */
function rank({ name }: Interfaces.Plugin): string {
    return name === OWN_PLUGIN ? "" : name;
}

async function ask(config: Config, plugin: Interfaces.Plugin, options: RegisterOptions) {
    // A view with one plugin, so that a hanging one cannot delay the others.
    const alone: Config = Object.create(config, {
        plugins: { value: new Map([[plugin.name, plugin]]) },
    });
    // Without oclif's timeout, which misses the import of a plugin's module and races with ours.
    const answering = alone.runHook("north:register", { ...options }, undefined, true);
    const result = await within(TIME_LIMIT, answering, () => undefined);
    const success = result?.successes[0];
    if (success) return { contributed: { plugin: plugin.name, contribution: success.result } };
    const reason = result?.failures[0]?.error.message.split("\n")[0] ?? "its hook took too long";
    return { problem: `The plugin ${plugin.name} did not load: ${reason}` };
}

export function pluginSecrets(
    plugin: string,
    environment: NodeJS.ProcessEnv,
    keychain: Keychain = systemKeychain({ environment })
): PluginSecrets {
    const configFolder = northDirectories(environment).config;
    const place = { environment, configFolder, keychain, report: warn };
    const entry = (name: string) => ({ ...place, provider: `${plugin}/${name}` });
    return {
        find: async (name) => (await findApiKey(entry(name)))?.key,
        save: async (name, secret) => void (await saveApiKey({ ...entry(name), key: secret })),
        remove: (name) => deleteApiKey(entry(name)),
    };
}

export const projectIdForCommand: ProjectIdHook = ({ root }) => makeCloneIdentity(root);

export const secretsForCommand: SecretsHook = async ({ plugin }) =>
    pluginSecrets(plugin, process.env);
