import type { Language } from "linguist-languages";
import { isGenerated } from "./generated-files.js";
import { loadLanguageTable } from "./language-table.js";

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
