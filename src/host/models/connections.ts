import type {
    ConnectionSettings,
    ModelConnection,
    ModelInfo,
    Provider,
} from "../../plugin/index.js";
import { untilAborted, withTimeLimit } from "../../base/waiting.js";
import { NorthError } from "../../base/north-error.js";
import { errorWithoutKeys, findProviderKey, keysIn } from "./provider-keys.js";

/** Connections to providers, opened on first use. */
export interface Connections {
    /** All known keys of all providers, which must be in no log and no result. */
    readonly keys: ReadonlySet<string>;
    /** Rejects with `no-api-key`, naming the variable to set. */
    to(provider: Provider): Promise<ModelConnection>;
    hasKey(provider: Provider): Promise<boolean>;
    /**
     * Lets a provider test a key that is not stored yet. Rejects as the provider does, or with
     * `timeout`.
     */
    checkKey(provider: Provider, apiKey: string, limitMs: number): Promise<void>;
    /** Drops the connection; the next one looks up the key again. */
    leave(provider: Provider): void;
    /**
     * The models that the provider's server offers now. Rejects as the provider does, or with
     * `timeout`.
     */
    discover(provider: Provider): Promise<readonly ModelInfo[]>;
}

/** For providers that set no limits of their own. */
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

/** Settings with the environment's base URL, and one shared `fetch`. */
function createSettings(environment: NodeJS.ProcessEnv) {
    let fetch: typeof globalThis.fetch | undefined;
    return async (
        apiKey: string | undefined,
        { baseURLVariable }: Provider
    ): Promise<ConnectionSettings> => {
        const baseURL = baseURLVariable ? environment[baseURLVariable] : undefined;
        // Imported late: the start of a chat sends nothing.
        const { createNodeHttpFetch } = await import("../../provider-kit/node-http-fetch.js");
        fetch ??= createNodeHttpFetch();
        return {
            ...(apiKey === undefined ? {} : { apiKey }),
            ...(baseURL ? { baseURL } : {}),
            fetch,
        };
    };
}

/**
 * Calls a provider, which may be a plugin's and never end; the limit applies even if it ignores its
 * signal.
 */
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

/** Says how to set a key that is missing. */
export function noKey({ displayName, id }: Provider, variable: string): NorthError {
    return new NorthError("no-api-key", `There is no API key for ${displayName}.`, [
        `Set ${variable}, or run \`north login ${id}\`.`,
    ]);
}
