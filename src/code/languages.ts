import type { Language } from "./language.js";
import { bash } from "./languages/bash.js";
import { cpp } from "./languages/cpp.js";
import { csharp } from "./languages/csharp.js";
import { go } from "./languages/go.js";
import { java } from "./languages/java.js";
import { javascript } from "./languages/javascript.js";
import { php } from "./languages/php.js";
import { python } from "./languages/python.js";
import { ruby } from "./languages/ruby.js";
import { rust } from "./languages/rust.js";
import { tsx, typescript } from "./languages/typescript.js";
import type { StylesheetSyntax } from "./stylesheet.js";

function markup(
    id: string,
    extensions: readonly string[],
    { selfClosing }: { readonly selfClosing: boolean }
): Language {
    return {
        id,
        extensions,
        blockKind: "html_section",
        blockPrefix: "html",
        reader: { kind: "markup", selfClosing },
    };
}

const markdown: Language = {
    id: "markdown",
    extensions: [".md", ".markdown", ".mdx"],
    blockPrefix: "md",
    reader: { kind: "markdown" },
};

function stylesheet(syntax: StylesheetSyntax): Language {
    return {
        id: syntax,
        extensions: [`.${syntax}`],
        blockKind: "css_rule",
        blockPrefix: "css",
        reader: { kind: "stylesheet", syntax },
    };
}

/** Every language whose structure North can read. Add new ones here. */
export const languages: readonly Language[] = [
    typescript,
    tsx,
    javascript,
    python,
    rust,
    go,
    java,
    csharp,
    php,
    cpp,
    ruby,
    bash,
    markup("html", [".html", ".htm", ".xhtml"], { selfClosing: false }),
    markup("vue", [".vue"], { selfClosing: true }),
    markup("svelte", [".svelte"], { selfClosing: true }),
    stylesheet("css"),
    stylesheet("scss"),
    stylesheet("less"),
    markdown,
];

const languagesBy = (key: "extensions" | "fileNames" | "interpreters") =>
    new Map(languages.flatMap((language) => (language[key] ?? []).map((name) => [name, language])));
const byExtension = languagesBy("extensions");
const byFileName = languagesBy("fileNames");
const byInterpreter = languagesBy("interpreters");

export function languageOfId(id: string): Language | undefined {
    return languages.find((language) => language.id === id);
}

/** Whether a language has sections and rules rather than symbols. */
export function isMarkup(id: string): boolean {
    const kind = languageOfId(id)?.reader.kind;
    return kind === "markup" || kind === "stylesheet";
}

/** The language of a file, by its name, or by its first line if the name does not tell. */
export function languageOf(path: string, text: string): Language | undefined {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const known = byFileName.get(name);
    if (known !== undefined) return known;
    const dot = name.lastIndexOf(".");
    if (dot > 0) {
        const language = byExtension.get(name.slice(dot).toLowerCase());
        return language?.otherFormat?.test(text) ? undefined : language;
    }
    const shebang = /^#!\s*(?:\S*\/)?(?:env\s+(?:-S\s+)?)?([a-z]+[0-9]?)/.exec(text);
    return shebang?.[1] === undefined ? undefined : byInterpreter.get(shebang[1]);
}
