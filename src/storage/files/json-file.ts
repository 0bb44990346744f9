import { readFile, rename } from "node:fs/promises";
import { existsSync } from "node:fs";
import { isFields, isTooDeep, MAX_LEVELS } from "../../base/fields.js";
import { type AtomicWriteOptions, writeFileAtomically } from "./atomic-file.js";
import { withLock } from "./file-lock.js";
import { messageOf } from "../../base/system-error.js";
import { asWriteError, readOr, type Report } from "./storage-error.js";

/** A JSON object that may have fields unknown to North. */
export type JsonRecord = Record<string, unknown>;

type JsonFile =
    | { readonly kind: "absent" }
    | { readonly kind: "value"; readonly value: JsonRecord }
    | { readonly kind: "corrupt"; readonly reason: string };

/** Reads a JSON object. Corruption is returned; throws only if the file cannot be read. */
export async function readJson(file: string): Promise<JsonFile> {
    const text = await readOr(readFile(file, "utf8"), file, undefined);
    return text === undefined ? { kind: "absent" } : parseJson(text);
}

export function parseJson(text: string): JsonFile {
    if (text.trim() === "") return { kind: "corrupt", reason: "it is empty" };
    try {
        const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
        if (!isFields(value)) return { kind: "corrupt", reason: "it is not a JSON object" };
        if (!isTooDeep(value)) return { kind: "value", value };
        return { kind: "corrupt", reason: `it is nested more than ${MAX_LEVELS} levels deep` };
    } catch (error) {
        return { kind: "corrupt", reason: messageOf(error) };
    }
}

export function formatJson(value: JsonRecord): string {
    return `${JSON.stringify(value, null, 2)}\n`;
}

/** Renames a file out of the way and returns its new path. */
export async function setAside(file: string, label = "corrupt"): Promise<string> {
    const time = new Date().toISOString().replace(/[-:.]/g, "");
    let aside = `${file}.${label}-${time}`;
    for (let count = 2; existsSync(aside); count += 1) aside = `${file}.${label}-${time}-${count}`;
    try {
        await rename(file, aside);
    } catch (error) {
        throw asWriteError(error, file);
    }
    return aside;
}

export async function setCorruptAside(file: string, reason: string, report: Report): Promise<void> {
    report(`${file} could not be read (${reason}) and was moved to ${await setAside(file)}.`);
}

interface JsonUpdateOptions extends Pick<AtomicWriteOptions, "mode"> {
    readonly report: Report;
}

/**
 * Updates a JSON file under its lock; `change` edits the latest content in place. Untouched fields
 * are kept. A corrupt file is set aside and reported, and the update starts from `{}`.
 */
export async function updateJson(
    file: string,
    options: JsonUpdateOptions,
    change: (value: JsonRecord) => void
): Promise<void> {
    await withLock(file, async ({ assertHeld }) => {
        const { Low } = await import("lowdb");
        const adapter = {
            async read(): Promise<JsonRecord | null> {
                const { report } = options;
                const current = await readJson(file);
                if (current.kind === "corrupt") await setCorruptAside(file, current.reason, report);
                return current.kind === "value" ? current.value : null;
            },
            write: (value: JsonRecord) =>
                writeFileAtomically(file, formatJson(value), {
                    ...options,
                    beforeReplace: assertHeld,
                }),
        };
        const store = new Low<JsonRecord>(adapter, {});
        await store.read();
        await store.update(change);
    });
}
