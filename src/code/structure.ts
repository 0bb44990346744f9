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
                signal
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

/**
 * The parts of a file by its language; equal chunks where it has none or nothing is found. Rejects
 * with `too-complex` where parsing takes too long, and with the signal's reason.
 */
export async function readStructure(
    path: string,
    text: string,
    signal?: AbortSignal
): Promise<FileStructure> {
    const language = languageOf(path, text);
    const sections = language === undefined ? [] : await readWith(language, text, signal);
    return {
        language: language?.id ?? "text",
        sections: sections.length > 0 ? sections : readChunks(text),
    };
}
