import type { Config } from "@oclif/core";
import { needsKey } from "../../core/registry/models.js";
import { valuesOf } from "../../core/registry/registry.js";
import type { Provider } from "../../plugin/index.js";
import { isExpectedError, NorthError } from "../../base/north-error.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { createRedactor } from "../../storage/files/redact.js";
import { deleteApiKey, saveApiKey } from "../../storage/secrets/secrets.js";
import { type Connections, createConnections } from "./connections.js";
import { withKeys } from "../../storage/secrets/key-environment.js";
import { stepsToPluginWith } from "./missing-plugins.js";
import { loadRegistry } from "../project/load-plugins.js";

const CHECK_LIMIT_MS = 10_000;
/** For the user, in the browser. */
const SIGN_IN_MS = 5 * 60_000;

/** A vendor's verdict on a key it did not refuse. */
export type KeyCheck =
    | { readonly kind: "accepted" }
    /** The provider has no test. */
    | { readonly kind: "untested" }
    /** No answer, or none about the key. */
    | { readonly kind: "failed"; readonly reason: string };

type StoredKey = Awaited<ReturnType<ProviderKeys["save"]>>;
type ForgottenKey = Awaited<ReturnType<ProviderKeys["forget"]>>;
export type ProviderKeys = ReturnType<typeof createProviderKeys>;

export async function openKeyKeeper(
    config: Config,
    directories: NorthDirectories,
    environment: NodeJS.ProcessEnv,
    report: (warning: string) => void
): Promise<ProviderKeys> {
    const registry = await loadRegistry(config);
    const providers = valuesOf(registry.providers);
    const connections = createConnections(environment, directories.config);
    const configFolder = directories.config;
    return createProviderKeys({ providers, connections, environment, configFolder, report });
}

/** Stores and removes keys of the providers that need one. */
export function createProviderKeys(options: {
    readonly providers: readonly Provider[];
    readonly connections: Connections;
    readonly environment: NodeJS.ProcessEnv;
    readonly configFolder: string;
    readonly report: (warning: string) => void;
}) {
    const { connections, environment, configFolder, report } = options;
    const place = { environment, configFolder, report };
    const providers = options.providers.filter(needsKey);
    /** The environment variable with another key, which takes precedence. */
    const variableOf = ({ keyVariable = "" }: Provider) =>
        withKeys(environment)[keyVariable] ? keyVariable : undefined;
    return {
        providers,
        /** Finds a provider by id; the first one if absent. Throws `unknown-provider`. */
        find: (id: string | undefined) => findProvider(providers, id),
        /** Rejects with `key-refused`. */
        async check(provider: Provider, key: string, limitMs = CHECK_LIMIT_MS): Promise<KeyCheck> {
            if (!provider.checkKey) return { kind: "untested" };
            try {
                await connections.checkKey(provider, key, limitMs);
                return { kind: "accepted" };
            } catch (error) {
                if (!isExpectedError(error)) throw error;
                if (error.code === "authentication") throw refused(provider, error);
                return { kind: "failed", reason: error.message };
            }
        },
        /** Signs in through a browser; rejects with `no-sign-in` where that is not offered. */
        async signIn(provider: Provider, show: (url: string) => void) {
            const key = await connections.signIn(provider, show, SIGN_IN_MS);
            if (key !== undefined) return key;
            const offering = providers.filter((each) => each.signIn).map(({ id }) => id);
            throw new NorthError("no-sign-in", `${provider.displayName} has no sign-in.`, [
                `Run \`north login ${provider.id}\` and paste a key.`,
                ...(offering.length > 0 ? [`Providers with one: ${offering.join(", ")}.`] : []),
            ]);
        },
        async save(provider: Provider, key: string) {
            const storedIn = await saveApiKey({ ...place, provider: provider.id, key });
            const file = storedIn === "file" ? `${configFolder}/credentials.json` : undefined;
            return { provider: provider.id, storedIn, file, variable: variableOf(provider) };
        },
        async forget(provider: Provider) {
            await connections.signOut(provider, CHECK_LIMIT_MS).catch((error: unknown) => {
                if (!isExpectedError(error)) throw error;
                report(`Could not end the sign-in at ${provider.displayName}. ${error.message}`);
            });
            const wasStored = await deleteApiKey({ ...place, provider: provider.id });
            connections.disconnect(provider);
            return {
                provider: provider.displayName,
                wasStored,
                variable: variableOf(provider),
            };
        },
    };
}

export function storedKeySentences(
    provider: Provider,
    check: KeyCheck,
    { file, variable }: StoredKey
): string {
    const { displayName } = provider;
    const said = {
        accepted: `${displayName} accepts the ${kindOfKey(provider)}.`,
        untested: `${displayName} cannot check keys. The key is stored unchecked.`,
        failed: `The ${kindOfKey(provider)} is stored unchecked.`,
    }[check.kind];
    const path =
        file === undefined
            ? "Stored in the system's keychain."
            : `Stored in ${file} (only you can read it); no keychain found.`;
    const first = variable && `${variable} is set and takes precedence.`;
    return [said, path, first].filter(Boolean).join("\n");
}

export function forgottenKeySentences(
    provider: Provider,
    { wasStored, variable }: ForgottenKey
): string {
    const name = `${provider.displayName} ${kindOfKey(provider)}`;
    const what = wasStored ? `Removed the stored ${name}.` : `No ${name} was stored.`;
    return variable === undefined ? what : `${what} ${variable} is still set and is used.`;
}

/** What users call it. */
export function kindOfKey({ keyVariable }: Provider): "key" | "sign-in" {
    return keyVariable === undefined ? "sign-in" : "key";
}

function findProvider(providers: readonly Provider[], id: string | undefined): Provider {
    const found = id === undefined ? providers[0] : providers.find((each) => each.id === id);
    if (found) return found;
    const names = providers.map((each) => each.id).join(", ");
    // Redacted: the user may have typed the key instead of a name.
    const name = createRedactor([])(id ?? "");
    throw new NorthError("unknown-provider", `There is no provider "${name}" that takes a key.`, [
        ...stepsToPluginWith(id ?? "", providers),
        `Providers with keys: ${names}.`,
    ]);
}

function refused({ id }: Provider, cause: Error): NorthError {
    const again = `Check the key, and run \`north login ${id}\` again.`;
    return new NorthError("key-refused", cause.message, ["Nothing was stored.", again], { cause });
}
