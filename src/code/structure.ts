import { readChunks } from "./chunks.js";
import { isExpectedError } from "../base/north-error.js";
import { Recent } from "../base/recent.js";
import { sha256 } from "../base/sha256.js";
import { languageOf } from "./languages.js";
import { parseInWorker } from "./parse-in-worker.js";
import type { FileStructure } from "./section.js";

/** Bounds of the recently read files. */
const MAX_CHARACTERS = 20_000_000;
const MAX_FILES = 200;

const recent = new Recent<FileStructure>(MAX_CHARACTERS);

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
    const key = `${id} ${sha256(text)}`;
    const known = recent.get(key);
    if (known) return known;
    const structure = await structureOf(id, text, signal);
    recent.set(key, structure, Math.max(text.length, MAX_CHARACTERS / MAX_FILES));
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
