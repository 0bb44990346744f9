import { parentPort } from "node:worker_threads";
import { languageOfId } from "./languages.js";
import type { ParseResults, ParseRequest } from "./parse-in-worker.js";
import type { Language } from "./language.js";
import type { Section } from "./section.js";
import { readSyntaxErrors } from "./syntax-errors.js";
import { readTokens } from "./tokens.js";

/** Deeper sections are left out: whatever reads them recurses, as does what sends them from here. */
const MAX_DEPTH = 200;

const READERS = {
    sections: async (language: Language, text: string) =>
        withoutDeep(await readSections(language, text)),
    errors: readSyntaxErrors,
    tokens: readTokens,
};

async function answer({
    what,
    languageId,
    text,
}: ParseRequest): Promise<ParseResults[keyof ParseResults]> {
    const language = languageOfId(languageId);
    if (language === undefined) return [];
    return READERS[what](language, text);
}

// A rejection ends the worker, and the other side gets an `error` event.
parentPort?.on("message", (request: ParseRequest) => {
    void answer(request).then((value) => parentPort?.postMessage(value));
});

parentPort?.postMessage("ready");

function withoutDeep(sections: readonly Section[], depth = 1): readonly Section[] {
    return sections.map((section) => ({
        ...section,
        children: depth < MAX_DEPTH ? withoutDeep(section.children, depth + 1) : [],
    }));
}

async function readSections({ reader }: Language, text: string): Promise<readonly Section[]> {
    switch (reader.kind) {
        case "tree": {
            const { withTree } = await import("./grammars.js");
            const { readDefinitions } = await import("./definitions.js");
            return withTree(reader, text, (tree, query) =>
                readDefinitions(tree, query(), text, reader)
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
