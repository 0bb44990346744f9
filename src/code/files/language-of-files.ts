import { basename } from "node:path";
import type { Language } from "linguist-languages";
import { isGenerated } from "./generated-files.js";

/** What may be the language of a file, by its name. */
type LanguageTable = (path: string) => readonly Language[];

let table: Promise<LanguageTable> | undefined;

/** A file and how large it is. */
export interface SizedFile {
    readonly path: string;
    readonly size: number;
}

/** A source file and what it is written in. */
export interface SourceFile extends SizedFile {
    readonly language: string;
}

/** Where an ending is shared, these are meant rather than the rare ones. */
const COMMON = new Set(
    (
        "Assembly,C,C#,C++,CSS,Clojure,Common Lisp,D,Elixir,F#,Fortran,GDScript,GLSL,Go,HTML,Java," +
        "JavaScript,Lua,MATLAB,Makefile,Markdown,OCaml,Objective-C,PHP,Pascal,Perl,Puppet,Python," +
        "R,Ruby,Rust,Scala,Scheme,Shell,Solidity,SQL,TeX,TSX,TypeScript,Verilog,Vim script"
    ).split(",")
);

/** Source code and markup as against data, prose, lock files and what programs wrote. */
export async function sourcePaths(paths: readonly string[]): Promise<readonly string[]> {
    const table = await loadLanguageTable();
    return paths.filter((path) => !isGenerated(path) && table(path).some(isSource));
}

/**
 * The files that are source, each with its language. An ending that several languages share is
 * decided by what the rest of the repository is written in: `.h` is C++ beside `.cpp` files.
 */
export async function languageOfFiles(files: readonly SizedFile[]): Promise<readonly SourceFile[]> {
    const table = await loadLanguageTable();
    const candidates = files.map((file) => ({ file, languages: likely(table(file.path)) }));
    const evidence = new Map<string, number>();
    for (const { file, languages } of candidates) {
        const [only] = languages;
        if (only === undefined || languages.length > 1) continue;
        evidence.set(only.name, (evidence.get(only.name) ?? 0) + file.size);
    }
    return candidates.flatMap(({ file, languages }) => {
        const language = [...languages].sort(
            (a, b) => (evidence.get(b.name) ?? 0) - (evidence.get(a.name) ?? 0) || byAge(a, b)
        )[0];
        return language === undefined || !isSource(language) || isGenerated(file.path)
            ? []
            : [{ ...file, language: language.group ?? language.name }];
    });
}

function likely(languages: readonly Language[]): readonly Language[] {
    const common = languages.filter(({ name }) => COMMON.has(name));
    return common.length > 0 ? common : languages;
}

function isSource({ type }: Language): boolean {
    return type === "programming" || type === "markup";
}

/** Ids were given in order of appearance: the smaller ones are the established languages. */
function byAge(a: Language, b: Language): number {
    return a.languageId - b.languageId;
}

/** GitHub's table of languages; 130 ms to load from the package, so late and once. */
function loadLanguageTable(): Promise<LanguageTable> {
    table ??= buildTable();
    return table;
}

async function buildTable(): Promise<LanguageTable> {
    const languages: readonly Language[] = Object.values(await import("linguist-languages"));
    const byFileName = new Map<string, Language[]>();
    const byExtension = new Map<string, Language[]>();
    for (const language of languages) {
        for (const name of language.filenames ?? []) append(byFileName, name, language);
        for (const extension of language.extensions ?? []) {
            append(byExtension, extension.toLowerCase(), language);
        }
    }
    return (path) => {
        const name = basename(path);
        return byFileName.get(name) ?? byLongestExtension(byExtension, name.toLowerCase());
    };
}

/** `.blade.php` before `.php`. */
function byLongestExtension(
    byExtension: ReadonlyMap<string, readonly Language[]>,
    name: string
): readonly Language[] {
    for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
        const found = byExtension.get(name.slice(dot));
        if (found !== undefined) return found;
    }
    return [];
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
    const values = map.get(key);
    if (values === undefined) map.set(key, [value]);
    else values.push(value);
}
