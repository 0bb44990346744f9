import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** A JSON object with unchecked fields. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a JSON file; `undefined` if it does not exist. Rejects if it is invalid. */
export async function readJson(file: string): Promise<unknown> {
    const text = await readFile(file, "utf8").catch((error: unknown) => {
        if (isAbsent(error)) return undefined;
        throw error;
    });
    return text === undefined ? undefined : JSON.parse(text);
}

/** Writes atomically, readable by this user only. */
export async function writeJson(file: string, value: unknown): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const unfinished = `${file}.${randomBytes(6).toString("hex")}.tmp`;
    try {
        await writeFile(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
        await rename(unfinished, file);
    } finally {
        await rm(unfinished, { force: true });
    }
}

/** Removes a file, and the folders `writeJson` created for it if they are empty. */
export async function removeJson(file: string, outermost: string): Promise<void> {
    await rm(file, { force: true });
    let folder = file;
    do {
        folder = path.dirname(folder);
        const isGone = await rmdir(folder).then(
            () => true,
            (error: unknown) => isAbsent(error)
        );
        if (!isGone) return;
    } while (folder !== outermost);
}

export function isAbsent(error: unknown): error is Error {
    return error instanceof Error && "code" in error && error.code === "ENOENT";
}
