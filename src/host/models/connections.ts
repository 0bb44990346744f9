import type {
    ConnectionSettings,
    ModelConnection,
    ModelInfo,
    Provider,
} from "../../plugin/index.js";
import { untilAborted, withTimeLimit } from "../../base/waiting.js";
import { keyVariableOf, needsKey, type ResolvedModel } from "../../core/registry/models.js";
import { isExpectedError, NorthError } from "../../base/north-error.js";
import { systemKeychain } from "../../storage/secrets/keychain.js";
import {
    type ApiKey,
    findApiKey,
    keysInCredentials,
    renewApiKey,
    secretsIn,
} from "../../storage/secrets/secrets.js";
import { takenKeys, withKeys } from "../../storage/secrets/key-environment.js";
import { textWithoutKeys } from "../../storage/secrets/without-keys.js";

export type Connections = ReturnType<typeof createConnections>;

const LIMITS = { connectMs: 30_000, discoverMs: 10_000 };

/** Connections to providers, opened on first use. */
export function createConnections(
    environment: NodeJS.ProcessEnv,
    configFolder: string,
    keys = new Set(keysIn(environment, configFolder)),
    limits = LIMITS
) {
    const made = new Map<string, ModelConnection>();
    const keyOf = async (provider: Provider) => {
        if (!needsKey(provider) && provider.optionalKeyVariable === undefined) return undefined;
        const key = (await findProviderKey(provider, environment, configFolder))?.key;
        addSecrets(keys, key);
        return key;
    };
    const settingsWith = createSettings(environment);
    const settingsOf = async (provider: Provider): Promise<ConnectionSettings> => ({
        ...(await settingsWith(await keyOf(provider), provider)),
        async renewKey(renew) {
            const place = placeOf(provider, environment, configFolder);
            const key = await renewApiKey({ ...place, report: () => undefined }, renew);
            addSecrets(keys, key);
            return key;
        },
    });
    return {
        /** All known keys, which must not appear in any log or result. */
        keys,
        /** Rejects with `no-api-key`, naming the variable to set. */
        async to(provider: Provider): Promise<ModelConnection> {
            const known = made.get(provider.id);
            if (known) return known;
            const settings = await settingsOf(provider);
            if (needsKey(provider) && settings.apiKey === undefined) throw noKey(provider);

            const connecting = async () => provider.connect(settings);
            const connected = await withinLimit(provider, limits.connectMs, connecting);
            const connection = withoutKeysInErrors(connected, keys);
            made.set(provider.id, connection);
            return connection;
        },
        ...discovery(settingsOf, keys, limits.discoverMs),
        ...signIns(settingsOf),
        async hasKey(provider: Provider): Promise<boolean> {
            return !needsKey(provider) || (await keyOf(provider)) !== undefined;
        },
        /** Has the provider test an unstored key. Rejects as it does, or with `timeout`. */
        async checkKey(provider: Provider, apiKey: string, limitMs: number): Promise<void> {
            addSecrets(keys, apiKey);
            try {
                const settings = await settingsWith(apiKey, provider);
                await withinLimit(provider, limitMs, async (signal) =>
                    provider.checkKey?.(settings, { signal })
                );
            } catch (error) {
                throw errorWithoutKeys(error, keys);
            }
        },
        /** Drops the connection; the next one looks up the key again. */
        disconnect(provider: Provider): void {
            made.delete(provider.id);
        },
    };
}

/** What the providers' servers say of their models. */
function discovery(
    settingsOf: (provider: Provider) => Promise<ConnectionSettings>,
    keys: ReadonlySet<string>,
    limitMs: number
) {
    const lists = new Map<string, Promise<readonly ModelInfo[]>>();
    /** Models that the provider's server offers now. Rejects as it does, or with `timeout`. */
    async function discover(provider: Provider): Promise<readonly ModelInfo[]> {
        const settings = await settingsOf(provider);
        if (needsKey(provider) && !settings.apiKey) return [];
        try {
            const listing = async () => (await provider.discover?.(settings)) ?? [];
            return await withinLimit(provider, limitMs, listing);
        } catch (error) {
            throw errorWithoutKeys(error, keys);
        }
    }
    /**
     * The model with what its server's list says of it, if only the server knows what it serves.
     * Asks until it has an answer, once; a server that does not list the model leaves it as it is.
     */
    async function completed(resolved: ResolvedModel): Promise<ResolvedModel> {
        const { provider } = resolved;
        if (provider.describesAnyModel !== true || !provider.discover) return resolved;
        const list = lists.get(provider.id) ?? discover(provider);
        lists.set(provider.id, list);
        // It may start later.
        const models = await list.catch(() => void lists.delete(provider.id));
        const model = models?.find(({ id }) => id === resolved.model.id);
        return model === undefined ? resolved : { ...resolved, model };
    }
    return { discover, completed };
}

function signIns(settingsOf: (provider: Provider) => Promise<ConnectionSettings>) {
    return {
        /** Signs in through a browser. Rejects as the provider does, or with `timeout`. */
        async signIn(
            provider: Provider,
            show: (url: string) => void,
            limitMs: number
        ): Promise<string | undefined> {
            const settings = await settingsOf(provider);
            return withinLimit(provider, limitMs, async (signal) =>
                provider.signIn?.(settings, { show, signal })
            );
        },
        /** Ends a sign-in at the vendor. Rejects as the provider does, or with `timeout`. */
        async signOut(provider: Provider, limitMs: number): Promise<void> {
            if (!provider.signOut) return;
            const settings = await settingsOf(provider);
            await withinLimit(provider, limitMs, async (signal) =>
                provider.signOut?.(settings, { signal })
            );
        },
    };
}

/** Settings with the environment's base URL and one shared `fetch`. */
function createSettings(environment: NodeJS.ProcessEnv) {
    let fetch: typeof globalThis.fetch | undefined;
    return async (
        apiKey: string | undefined,
        { baseURLVariable }: Provider
    ): Promise<ConnectionSettings> => {
        const baseURL = baseURLVariable ? environment[baseURLVariable] : undefined;
        // Imported lazily: starting a chat sends nothing.
        const { createNodeHttpFetch } = await import("../../provider-kit/node-http-fetch.js");
        fetch ??= createNodeHttpFetch();
        // Without empty fields: a plugin may spread them over its own defaults.
        return { ...(apiKey && { apiKey }), ...(baseURL && { baseURL }), fetch };
    };
}

/** Calls a provider, possibly a plugin's. The limit holds even if it ignores the signal. */
async function withinLimit<Value>(
    { displayName }: Provider,
    limitMs: number,
    work: (signal: AbortSignal) => Promise<Value>
): Promise<Value> {
    const sentence = `${displayName} did not answer within ${limitMs / 1_000} s.`;
    const reason = () => new NorthError("timeout", sentence, ["Try again."]);
    return withTimeLimit(limitMs, (signal) => untilAborted(work(signal), signal), { reason });
}

/** Vendors repeat a refused key in their errors. */
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

export function noKey({ displayName, id, keyVariable }: Provider): NorthError {
    const [sentence, next] = keyVariable
        ? [`There is no API key for ${displayName}.`, `Set ${keyVariable}, or run`]
        : [`You are not signed in to ${displayName}.`, "Run"];
    return new NorthError("no-api-key", sentence, [`${next} \`north login ${id}\`.`]);
}

function addSecrets(keys: Set<string>, key = ""): void {
    for (const secret of secretsIn(key)) keys.add(secret);
}

/** Keys of all providers outside the keychain: a file may show one that this run does not use. */
export function keysIn(environment: NodeJS.ProcessEnv, configFolder: string): string[] {
    const fromEnvironment = Object.entries(environment).flatMap(([name, value]) =>
        name.endsWith("_API_KEY") && value ? [value] : []
    );
    return [...takenKeys(), ...fromEnvironment, ...keysInCredentials(configFolder)];
}

export function findProviderKey(
    provider: Provider,
    environment: NodeJS.ProcessEnv,
    configFolder: string
): Promise<ApiKey | undefined> {
    return findApiKey(placeOf(provider, environment, configFolder));
}

function placeOf(provider: Provider, environment: NodeJS.ProcessEnv, configFolder: string) {
    return {
        provider: provider.id,
        variable: keyVariableOf(provider),
        environment: withKeys(environment),
        configFolder,
        // A child process, which must not inherit other providers' keys.
        keychain: systemKeychain({ environment }),
    };
}

/** Redacts keys in an expected error: a vendor's message may repeat one. */
function errorWithoutKeys(error: unknown, keys: Iterable<string>): unknown {
    if (!isExpectedError(error)) return error;
    const message = textWithoutKeys(error.message, keys);
    if (message === error.message) return error;
    const { code, nextSteps, cause, retryable, retryAfterMs } = error;
    return new NorthError(code, message, nextSteps, { cause, retryable, retryAfterMs });
}
