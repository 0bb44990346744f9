import type { Config } from "@oclif/core";
import type { Provider } from "../plugin/index.js";
import { NorthError } from "../plugin/north-error.js";
import type { NorthDirectories } from "../storage/directories.js";
import { deleteApiKey, saveApiKey } from "../storage/secrets.js";
import { loadRegistry } from "./load-plugins.js";

/** Keeping and forgetting keys of the providers that need one. */
export interface KeyKeeper {
    readonly providers: readonly Provider[];
    /** By id; without one the only or first provider. Rejects with `unknown-provider`. */
    find(id: string | undefined): Provider;
    /** Resolves with a sentence that says where the key went. */
    save(provider: Provider, key: string): Promise<string>;
    /** Resolves with a sentence that says what was forgotten. */
    forget(provider: Provider): Promise<string>;
}

export async function openKeyKeeper(
    config: Config,
    directories: NorthDirectories,
    environment: NodeJS.ProcessEnv,
    report: (warning: string) => void
): Promise<KeyKeeper> {
    const { providers } = await loadRegistry(config);
    const keyed = [...providers.values()]
        .map(({ value }) => value)
        .filter(({ keyVariable }) => keyVariable !== undefined);
    const place = { environment, configFolder: directories.config, report };
    return {
        providers: keyed,
        find(id) {
            const found = id === undefined ? keyed[0] : keyed.find((each) => each.id === id);
            if (found) return found;
            const names = keyed.map((each) => each.id).join(", ");
            throw new NorthError(
                "unknown-provider",
                `There is no provider "${id ?? ""}" with keys.`,
                [`Providers with keys: ${names}.`]
            );
        },
        async save(provider, key) {
            const where = await saveApiKey({ ...place, provider: provider.id, key });
            return where === "keychain"
                ? `The key for ${provider.displayName} is in the system's keychain.`
                : `There is no keychain here: the key for ${provider.displayName} is in ` +
                      `${directories.config}/credentials.json, which only you may read.`;
        },
        async forget(provider) {
            const hadOne = await deleteApiKey({ ...place, provider: provider.id });
            const variable = provider.keyVariable ?? "";
            const remains = environment[variable] ? ` ${variable} is still set.` : "";
            return hadOne
                ? `The key for ${provider.displayName} is forgotten.${remains}`
                : `There was no stored key for ${provider.displayName}.${remains}`;
        },
    };
}
