import type {
    ConnectionSettings,
    ModelConnection,
    ModelInfo,
    Provider,
} from "../../plugin/index.js";
import { untilAborted, withTimeLimit } from "../../base/waiting.js";
import { NorthError } from "../../base/north-error.js";
import { errorWithoutKeys, findProviderKey, keysIn } from "./provider-keys.js";

/** Connections to providers, made when first used. */
export interface Connections {
    /** The keys of all providers, as far as they are known: what must be in no log and no result. */
    readonly keys: ReadonlySet<string>;
    /** Rejects with `no-api-key`, naming the variable to set. */
    to(provider: Provider): Promise<ModelConnection>;
    hasKey(provider: Provider): Promise<boolean>;
    /**
     * Has a provider that can do so check a key that is not stored yet. Rejects as it does, or with
     * `timeout`.
     */
    checkKey(provider: Provider, apiKey: string, limitMs: number): Promise<void>;
    /** The next connection is made anew, with the key that is found then. */
    leave(provider: Provider): void;
    /** The models that the provider's server offers now. Rejects as it does, or with `timeout`. */
    discover(provider: Provider): Promise<readonly ModelInfo[]>;
}

/** Providers have limits of their own; these are for those that do not keep them. */
const LIMITS = { connectMs: 30_000, discoverMs: 10_000 };

export function createConnections(
    environment: NodeJS.ProcessEnv,
    configFolder: string,
    keys = new Set(keysIn(environment, configFolder)),
    limits = LIMITS
): Connections {
    const made = new Map<string, ModelConnection>();
    const keyOf = async (provider: Provider) => {
        if (provider.keyVariable === undefined) return undefined;
        const key = (await findProviderKey(provider, environment, configFolder))?.key;
        if (key !== undefined) keys.add(key);
        return key;
    };
    const settingsWith = createSettings(environment);
    const settingsOf = async (provider: Provider) => settingsWith(await keyOf(provider), provider);
    return {
        keys,
        async to(provider) {
            const known = made.get(provider.id);
            if (known) return known;
            const settings = await settingsOf(provider);
            if (provider.keyVariable !== undefined && settings.apiKey === undefined) {
                throw noKey(provider, provider.keyVariable);
            }

            const connecting = async () => provider.connect(settings);
            const connected = await withinLimit(provider, limits.connectMs, connecting);
            const connection = withoutKeysInErrors(connected, keys);
            made.set(provider.id, connection);
            return connection;
        },
        async discover(provider) {
            const settings = await settingsOf(provider);
            if (provider.keyVariable !== undefined && !settings.apiKey) return [];
            try {
                const listing = async () => (await provider.discover?.(settings)) ?? [];
                return await withinLimit(provider, limits.discoverMs, listing);
            } catch (error) {
                throw errorWithoutKeys(error, keys);
            }
        },
        async hasKey(provider) {
            return provider.keyVariable === undefined || (await keyOf(provider)) !== undefined;
        },
        async checkKey(provider, apiKey, limitMs) {
            keys.add(apiKey);
            try {
                const settings = await settingsWith(apiKey, provider);
                await withinLimit(provider, limitMs, async (signal) =>
                    provider.checkKey?.(settings, { signal })
                );
            } catch (error) {
                throw errorWithoutKeys(error, keys);
            }
        },
        leave(provider) {
            made.delete(provider.id);
        },
    };
}

/** Settings with the environment's base URL, and one `fetch` for all providers. */
function createSettings(environment: NodeJS.ProcessEnv) {
    let fetch: typeof globalThis.fetch | undefined;
    return async (
        apiKey: string | undefined,
        { baseURLVariable }: Provider
    ): Promise<ConnectionSettings> => {
        const baseURL = baseURLVariable ? environment[baseURLVariable] : undefined;
        // Late: the start of a chat sends nothing.
        const { createNodeHttpFetch } = await import("../../provider-kit/node-http-fetch.js");
        fetch ??= createNodeHttpFetch();
        return {
            ...(apiKey === undefined ? {} : { apiKey }),
            ...(baseURL ? { baseURL } : {}),
            fetch,
        };
    };
}

/** What a provider does, which is a plugin's code and may end never; its limit may be told to it. */
async function withinLimit<Value>(
    { displayName }: Provider,
    limitMs: number,
    work: (signal: AbortSignal) => Promise<Value>
): Promise<Value> {
    const sentence = `${displayName} did not answer within ${limitMs / 1_000} s.`;
    const reason = () => new NorthError("timeout", sentence, ["Try it again."]);
    return withTimeLimit(limitMs, (signal) => untilAborted(work(signal), signal), { reason });
}

/** Vendors repeat the key that they refuse. */
function withoutKeysInErrors(
    connection: ModelConnection,
    keys: ReadonlySet<string>
): ModelConnection {
    return {
        async *stream(request, options) {
            try {
                yield* connection.stream(request, options);
            } catch (error) {
                throw errorWithoutKeys(error, keys);
            }
        },
    };
}

function noKey({ displayName, id }: Provider, variable: string): NorthError {
    return new NorthError("no-api-key", `There is no key for ${displayName}.`, [
        `Set ${variable}, or run \`north login ${id}\`.`,
    ]);
}
