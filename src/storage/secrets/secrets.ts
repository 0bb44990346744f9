import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { isFields } from "../../base/fields.js";
import { NorthError } from "../../base/north-error.js";
import { type JsonRecord, parseJson, updateJson } from "../files/json-file.js";
import { type Keychain, systemKeychain } from "./keychain.js";
import { withLock } from "../files/file-lock.js";
import { readOr, type Report } from "../files/storage-error.js";

export interface ApiKey {
    readonly key: string;
    readonly source: "environment" | "keychain" | "file";
}

interface Stores {
    readonly provider: string;
    readonly environment: NodeJS.ProcessEnv;
    readonly configFolder: string;
    readonly keychain?: Keychain;
}

interface FindApiKeyOptions extends Stores {
    readonly variable?: string;
}

/**
 * Looks up a provider's key in the environment, the keychain, then `credentials.json`. Rejects with
 * `credentials-exposed` if others may read that file, `credentials-corrupt` if it is invalid.
 */
export async function findApiKey(options: FindApiKeyOptions): Promise<ApiKey | undefined> {
    const { provider, environment, variable, keychain = systemKeychain(options) } = options;
    const fromEnvironment = variable === undefined ? undefined : environment[variable]?.trim();
    if (fromEnvironment) return { key: fromEnvironment, source: "environment" };
    const fromKeychain = await keychain.find(provider);
    if (fromKeychain) return { key: fromKeychain, source: "keychain" };
    const fromFile = (await readCredentials(credentialsFile(options)))[provider];
    if (typeof fromFile === "string" && fromFile) return { key: fromFile, source: "file" };
    return undefined;
}

interface SaveApiKeyOptions extends Stores {
    readonly key: string;
    readonly report: Report;
}

/** Saves a key in the keychain, or in `credentials.json` if there is none; resolves with which. */
export async function saveApiKey(options: SaveApiKeyOptions): Promise<"keychain" | "file"> {
    const { provider, report, keychain = systemKeychain(options) } = options;
    const key = options.key.trim();
    const file = credentialsFile(options);
    if (await keychain.save(provider, key)) {
        // Otherwise an old key would reappear while the keychain is locked.
        await removeFromFile(file, provider, report);
        return "keychain";
    }
    await readCredentials(file).catch(ignoreCorrupt);
    await updateJson(file, { report, mode: 0o600 }, (credentials) => {
        credentials.apiKeys = { ...apiKeys(credentials), [provider]: key };
    });
    return "file";
}

/** Longer than a renewal: a vendor takes a refresh token once, so that the next one must wait. */
const RENEWAL_WAIT_MS = 30_000;

/** Replaces a stored key with what `renew` makes of it. Rejects as it does, or with `locked`. */
export async function renewApiKey(
    options: Omit<SaveApiKeyOptions, "key">,
    renew: (stored: string) => Promise<string>
): Promise<string> {
    const work = async () => {
        const stored = (await findApiKey(options))?.key ?? "";
        const key = await renew(stored);
        if (key !== stored) await saveApiKey({ ...options, key });
        return key;
    };
    const file = `${credentialsFile(options)}.${options.provider}`;
    return withLock(file, work, { waitMs: RENEWAL_WAIT_MS });
}

/** Deletes a provider's key from the keychain and the file; resolves with whether there was one. */
export async function deleteApiKey(options: Stores & { readonly report: Report }) {
    const { provider, report, keychain = systemKeychain(options) } = options;
    const wasInKeychain = await keychain.remove(provider);
    const wasInFile = await removeFromFile(credentialsFile(options), provider, report);
    return wasInKeychain || wasInFile;
}

/** All keys in `credentials.json`, for redaction; none if the file cannot be read. */
export function keysInCredentials(configFolder: string): string[] {
    try {
        const stored = parseJson(readFileSync(credentialsFile({ configFolder }), "utf8"));
        if (stored.kind !== "value") return [];
        const keys = Object.values(apiKeys(stored.value));
        return keys.flatMap((key) => (typeof key === "string" ? secretsIn(key) : []));
    } catch {
        // Whoever needs a key will get the error.
        return [];
    }
}

/** Shorter words of a key, such as dates, would hide too much. */
const MIN_SECRET = 20;

/** What a key hides: itself, or the tokens that the key of a sign-in consists of. */
export function secretsIn(key: string): readonly string[] {
    const words = key.split(" ");
    if (words.length > 1) return words.filter(({ length }) => length >= MIN_SECRET);
    return key === "" ? [] : [key];
}

function credentialsFile({ configFolder }: Pick<Stores, "configFolder">): string {
    return path.join(configFolder, "credentials.json");
}

async function removeFromFile(file: string, provider: string, report: Report): Promise<boolean> {
    const known = await readCredentials(file);
    if (!(provider in known)) return false;
    await updateJson(file, { report, mode: 0o600 }, (credentials) => {
        const { [provider]: _removed, ...others } = apiKeys(credentials);
        credentials.apiKeys = others;
    });
    return true;
}

function readCredentials(file: string): Promise<JsonRecord> {
    return readOr(readPrivate(file), file, {});
}

async function readPrivate(file: string): Promise<JsonRecord> {
    const handle = await open(file, "r");
    try {
        const { mode } = await handle.stat();
        if (mode & 0o077) throw exposedError(file);
        const stored = parseJson(await handle.readFile("utf8"));
        if (stored.kind === "value") return apiKeys(stored.value);
        throw new NorthError("credentials-corrupt", `${file} cannot be read as JSON.`, [
            "Fix it, or delete it and run `north login` again.",
        ]);
    } finally {
        await handle.close();
    }
}

function apiKeys(credentials: JsonRecord): JsonRecord {
    return isFields(credentials.apiKeys) ? credentials.apiKeys : {};
}

function exposedError(file: string): NorthError {
    return new NorthError("credentials-exposed", `Other users can read the keys in ${file}.`, [
        `Run \`chmod 600 ${file}\`.`,
        "If others use this machine, replace the keys.",
    ]);
}

/** The following update sets a corrupt file aside; an exposed one must not be used. */
function ignoreCorrupt(error: unknown): void {
    const isCorrupt = error instanceof NorthError && error.code === "credentials-corrupt";
    if (!isCorrupt) throw error;
}
