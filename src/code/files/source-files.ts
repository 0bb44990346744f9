import { basename } from "node:path";
import type { Language } from "linguist-languages";
import type { Workspace } from "../../plugin/index.js";

type LanguageTable = (path: string) => readonly Language[];

let table: Promise<LanguageTable> | undefined;

interface SourceFile {
    readonly path: string;
    readonly size: number;
    readonly language: string;
}

/** Preferred over rarer languages that share an extension. */
const COMMON = new Set(
    (
        "Assembly,C,C#,C++,CSS,Clojure,Common Lisp,D,Elixir,F#,Fortran,GDScript,GLSL,Go,HTML,Java," +
        "JavaScript,Lua,MATLAB,Makefile,Markdown,OCaml,Objective-C,PHP,Pascal,Perl,Puppet,Python," +
        "R,Ruby,Rust,Scala,Scheme,Shell,Solidity,SQL,TeX,TSX,TypeScript,Verilog,Vim script"
    ).split(",")
);

/**
 * The repository's source code and markup, without data, prose, lock files and generated files. A
 * shared extension is decided by the rest of the code: `.h` is C++ next to `.cpp` files.
 */
export async function sourceFiles(
    workspace: Workspace,
    signal: AbortSignal
): Promise<readonly SourceFile[]> {
    table ??= buildTable();
    const languagesOf = await table;
    const paths = (await workspace.files({ signal })).filter(
        (path) => !isGenerated(path) && languagesOf(path).some(isSource)
    );
    const sizes = await workspace.sizes(paths, { signal });
    const candidates = Array.from(sizes, ([path, size]) => ({
        file: { path, size },
        languages: likely(languagesOf(path)),
    }));
    const evidence = new Map<string, number>();
    for (const { file, languages } of candidates) {
        const [only] = languages;
        if (only === undefined || languages.length > 1) continue;
        evidence.set(only.name, (evidence.get(only.name) ?? 0) + file.size);
    }
    return candidates.flatMap(({ file, languages }) => {
        // linguist assigned ids in order of addition, so lower ones are established languages.
        const [language] = [...languages].sort(
            (a, b) =>
                (evidence.get(b.name) ?? 0) - (evidence.get(a.name) ?? 0) ||
                a.languageId - b.languageId
        );
        if (language === undefined || !isSource(language)) return [];
        return { ...file, language: language.group ?? language.name };
    });
}

function likely(languages: readonly Language[]): readonly Language[] {
    const common = languages.filter(({ name }) => COMMON.has(name));
    return common.length > 0 ? common : languages;
}

function isSource({ type }: Language): boolean {
    return type === "programming" || type === "markup";
}

/** GitHub's language table, loaded when first used. */
async function buildTable(): Promise<LanguageTable> {
    // A module for each language; in the bundle, one array of all (scripts/bundling.js).
    const languages: readonly Language[] = Object.values(await import("linguist-languages")).flat();
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

const LOCK_FILE =
    /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.ya?ml|go\.(sum|work\.sum)|[^/]+\.lockb?|[^/]+\.resolved)$/i;
const GENERATED_NAME =
    /[.-]min\.(js|css)$|\.(map|bundle\.js|pb\.(go|cc|h)|g\.dart|freezed\.dart|designer\.cs|generated\.[^/]+)$|_pb2(_grpc)?\.pyi?$|_generated\.\w+$/i;
const VENDORED_FOLDER = /(^|\/)(vendor|third[_-]party|__generated__|generated|__snapshots__)\//i;

/** Generated or third-party: says nothing about the project's own code. */
export function isGenerated(path: string): boolean {
    return LOCK_FILE.test(path) || GENERATED_NAME.test(path) || VENDORED_FOLDER.test(path);
}
