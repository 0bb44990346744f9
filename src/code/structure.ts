import { createHash } from "node:crypto";
import { readChunks } from "./chunks.js";
import type { Language } from "./language.js";
import { languageOf, languageOfId } from "./languages.js";
import type { FileStructure, Section } from "./section.js";

async function readWith(
    { reader }: Language,
    text: string,
    signal: AbortSignal | undefined
): Promise<readonly Section[]> {
    switch (reader.kind) {
        case "tree": {
            const { withTree } = await import("./grammars.js");
            const { readDefinitions } = await import("./definitions.js");
            return withTree(
                reader,
                text,
                (tree, query) => readDefinitions(tree, query, text, reader),
                { signal }
            );
        }
        case "stylesheet": {
            const { readStylesheet } = await import("./stylesheet.js");
            return readStylesheet(text, reader.syntax);
        }
        case "markdown": {
            const { readMarkdown } = await import("./markdown.js");
            return readMarkdown(text);
        }
        case "markup": {
            const { readMarkup } = await import("./markup.js");
            return readMarkup(text, reader.selfClosing, async (embedded) => {
                const language = languageOfId(embedded.language);
                return language === undefined ? [] : readWith(language, embedded.text, signal);
            });
        }
        default:
            return reader satisfies never;
    }
}

/** Of what was read last, up to so many characters of text and so many files. */
const MOST_CHARACTERS = 20_000_000;
const MOST_FILES = 200;

const kept = new Map<string, { readonly structure: FileStructure; readonly characters: number }>();
let keptCharacters = 0;

/**
 * The parts of a file by its language; equal chunks where it has none or nothing is found. The same
 * content is parsed once. Rejects with `too-complex` where parsing takes too long, and with the
 * signal's reason.
 */
export async function readStructure(
    path: string,
    text: string,
    signal?: AbortSignal
): Promise<FileStructure> {
    const language = languageOf(path, text);
    const key = `${language?.id} ${createHash("sha256").update(text).digest("base64")}`;
    const known = kept.get(key);
    if (known !== undefined) {
        remember(key, known);
        return known.structure;
    }
    const sections = language === undefined ? [] : await readWith(language, text, signal);
    const structure = {
        language: language?.id ?? "text",
        sections: sections.length > 0 ? sections : readChunks(text),
    };
    remember(key, { structure, characters: text.length });
    return structure;
}

function remember(key: string, entry: { structure: FileStructure; characters: number }): void {
    forget(key);
    kept.set(key, entry);
    keptCharacters += entry.characters;
    for (const oldest of kept.keys()) {
        if (kept.size <= MOST_FILES && keptCharacters <= MOST_CHARACTERS) break;
        forget(oldest);
    }
}

function forget(key: string): void {
    keptCharacters -= kept.get(key)?.characters ?? 0;
    kept.delete(key);
}
