import type { Provider } from "../../plugin/index.js";
import type { JournalRecord } from "../../plugin/records.js";
import { isExpectedError, NorthError } from "../../base/north-error.js";
import { systemKeychain } from "../../storage/secrets/keychain.js";
import { type ApiKey, findApiKey, keysInCredentials } from "../../storage/secrets/secrets.js";
import { takenKeys, withKeys } from "../../storage/secrets/key-environment.js";

/** Shorter ones would also be found in text that has nothing to do with them. */
const SHORTEST_KEY = 8;
const WITHHELD = "[key withheld]";

/**
 * Keys that a program can know before it knows its providers: of all of them, since a file may show
 * the key of one that this run does not use. The keychain's are not: it has to be asked for each.
 */
export function keysIn(environment: NodeJS.ProcessEnv, configFolder: string): string[] {
    const fromEnvironment = Object.entries(environment).flatMap(([name, value]) =>
        name.endsWith("_API_KEY") && value ? [value] : []
    );
    return [...takenKeys(), ...fromEnvironment, ...keysInCredentials(configFolder)];
}

/** The key of a provider, wherever it is. */
export function findProviderKey(
    { id, keyVariable }: Provider,
    environment: NodeJS.ProcessEnv,
    configFolder: string
): Promise<ApiKey | undefined> {
    return findApiKey({
        provider: id,
        ...(keyVariable === undefined ? {} : { variable: keyVariable }),
        environment: withKeys(environment),
        configFolder,
        // A process, which is not to inherit the other providers' keys.
        keychain: systemKeychain({ environment }),
    });
}

/**
 * A record as it may be stored and sent: a command or a file may show a key, and what tools return
 * goes to the log and to the model.
 */
export function withoutKeys(record: JournalRecord, keys: Iterable<string>): JournalRecord {
    if (record.type !== "entry_added") return record;
    const clean = (text: string) => textWithoutKeys(text, keys);
    if (record.entry.kind === "command" && record.entry.told !== undefined) {
        return { ...record, entry: { ...record.entry, told: clean(record.entry.told) } };
    }

    if (record.entry.kind !== "tool_result") return record;
    const { content, summary, display } = record.entry;
    return {
        ...record,
        entry: {
            ...record.entry,
            content: clean(content),
            ...(summary === undefined ? {} : { summary: clean(summary) }),
            ...(display === undefined ? {} : { display: clean(display) }),
        },
    };
}

/** A text as it may be stored. */
export function textWithoutKeys(text: string, keys: Iterable<string>): string {
    return [...keys]
        .filter((key) => key.length >= SHORTEST_KEY)
        .reduce((result, key) => result.replaceAll(key, WITHHELD), text);
}

/** An expected failure as it may be shown: the vendor's own words may repeat the key. */
export function errorWithoutKeys(error: unknown, keys: Iterable<string>): unknown {
    if (!isExpectedError(error)) return error;
    const message = textWithoutKeys(error.message, keys);
    if (message === error.message) return error;
    const { code, nextSteps, cause, retryable, retryAfterMs } = error;
    return new NorthError(code, message, nextSteps, {
        cause,
        ...(retryable === undefined ? {} : { retryable }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
}
