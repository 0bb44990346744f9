import type { ModelConnection, Provider } from "../plugin/index.js";
import { NorthError } from "../plugin/north-error.js";
import { findApiKey } from "../storage/secrets.js";
import { keysIn } from "./provider-keys.js";

/** Connections to providers, made when first used. */
export interface Connections {
    /** The keys of all providers, as far as they are known: what must be in no log and no result. */
    readonly keys: ReadonlySet<string>;
    /** Rejects with `no-api-key`, naming the variable to set. */
    to(provider: Provider): Promise<ModelConnection>;
    hasKey(provider: Provider): Promise<boolean>;
}

export function createConnections(
    environment: NodeJS.ProcessEnv,
    configFolder: string,
    keys = new Set(keysIn(environment))
): Connections {
    const made = new Map<string, ModelConnection>();
    const keyOf = async ({ id, keyVariable }: Provider) => {
        if (keyVariable === undefined) return undefined;
        const place = { variable: keyVariable, provider: id, environment, configFolder };
        const key = (await findApiKey(place))?.key;
        if (key !== undefined) keys.add(key);
        return key;
    };
    return {
        keys,
        async to(provider) {
            const known = made.get(provider.id);
            if (known) return known;
            const apiKey = await keyOf(provider);
            if (provider.keyVariable !== undefined && apiKey === undefined) {
                throw noKey(provider, provider.keyVariable);
            }
            const { baseURLVariable } = provider;
            const baseURL = baseURLVariable ? environment[baseURLVariable] : undefined;
            const connection = await provider.connect({
                ...(apiKey === undefined ? {} : { apiKey }),
                ...(baseURL ? { baseURL } : {}),
            });
            made.set(provider.id, connection);
            return connection;
        },
        async hasKey(provider) {
            return provider.keyVariable === undefined || (await keyOf(provider)) !== undefined;
        },
    };
}

function noKey({ displayName, id }: Provider, variable: string): NorthError {
    return new NorthError("no-api-key", `There is no key for ${displayName}.`, [
        `Set ${variable}, or run \`north login ${id}\`.`,
    ]);
}
