import type { PluginSecrets, SecretsHook } from "../../plugin/index.js";
import { northDirectories } from "../../storage/files/directories.js";
import { type Keychain, systemKeychain } from "../../storage/secrets/keychain.js";
import { deleteApiKey, findApiKey, saveApiKey } from "../../storage/secrets/secrets.js";
import { warn } from "../warn.js";

/** A plugin's secrets, in the store of the API keys. */
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

/** The secrets of a plugin's own command. */
export const secretsForCommand: SecretsHook = async ({ plugin }) =>
    pluginSecrets(plugin, process.env);
