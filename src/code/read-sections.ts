import type { Language } from "./language.js";
import { languageOfId } from "./languages.js";
import type { Section } from "./section.js";

/** The parts of a text by its language. Rejects with `too-complex`. */
export async function readSections(
    { reader }: Language,
    text: string
): Promise<readonly Section[]> {
    switch (reader.kind) {
        case "tree": {
            const { withTree } = await import("./grammars.js");
            const { readDefinitions } = await import("./definitions.js");
            return withTree(reader, text, (tree, query) =>
                readDefinitions(tree, query, text, reader)
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
                return language === undefined ? [] : readSections(language, embedded.text);
            });
        }
        default:
            return reader satisfies never;
    }
}
