import { createHash } from "node:crypto";
import { readChunks } from "./chunks.js";
import { isExpectedError } from "../base/north-error.js";
import { languageOf } from "./languages.js";
import { parseInWorker } from "./parse-in-worker.js";
import type { FileStructure } from "./section.js";

/** Bounds of the cache of recently read files. */
const MAX_CHARACTERS = 20_000_000;
const MAX_FILES = 200;

const cache = new Map<string, { readonly structure: FileStructure; readonly characters: number }>();
let cachedCharacters = 0;

/**
 * The structure of a file, cached by content; equal chunks if the language is unknown, nothing is
 * found, or parsing takes too long. Rejects with the signal's reason.
 */
export async function readStructure(
    path: string,
    text: string,
    signal?: AbortSignal
): Promise<FileStructure> {
    const id = languageOf(path, text)?.id;
    const key = `${id} ${createHash("sha256").update(text).digest("base64")}`;
    const structure = cache.get(key)?.structure ?? (await structureOf(id, text, signal));
    remember(key, { structure, characters: text.length });
    return structure;
}

async function structureOf(
    id: string | undefined,
    text: string,
    signal: AbortSignal | undefined
): Promise<FileStructure> {
    if (id === undefined) return { language: "text", sections: readChunks(text) };
    try {
        const sections = await parseInWorker("sections", id, text, signal);
        return { language: id, sections: sections.length > 0 ? sections : readChunks(text) };
    } catch (error) {
        if (!isExpectedError(error) || error.code !== "too-complex") throw error;
        const note = [error.message, ...error.nextSteps].join(" ");
        return { language: "text", sections: readChunks(text), note };
    }
}

function remember(key: string, entry: { structure: FileStructure; characters: number }): void {
    forget(key);
    cache.set(key, entry);
    cachedCharacters += entry.characters;
    for (const oldest of cache.keys()) {
        if (cache.size <= MAX_FILES && cachedCharacters <= MAX_CHARACTERS) break;
        forget(oldest);
    }
}

function forget(key: string): void {
    cachedCharacters -= cache.get(key)?.characters ?? 0;
    cache.delete(key);
}
