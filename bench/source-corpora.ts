import { readdir, stat } from "node:fs/promises";
import path from "node:path";

/** A language's sources on this machine, and its ctags settings. */
export interface Corpus {
    readonly language: string;
    readonly ctagsName: string;
    /** Long names of ctags kinds that are definitions for North too. */
    readonly counted: readonly string[];
    readonly extension: RegExp;
    readonly folders: readonly string[];
    /** A better oracle for this language than ctags. */
    readonly judge?: "typescript" | "jdk";
}

const MAX_FILES = 120;
const MAX_BYTES = 300_000;
const MORE_FOLDERS = (process.env.NORTH_BENCH_SOURCES ?? "").split(":").filter(Boolean);

export const corpora: readonly Corpus[] = [
    {
        language: "TypeScript",
        ctagsName: "TypeScript",
        counted: [
            "function",
            "class",
            "interface",
            "enum",
            "method",
            "namespace",
            "generator",
            "alias",
        ],
        extension: /(?<!\.d)\.ts$/,
        folders: [
            "node_modules/@anthropic-ai/sdk/src",
            "node_modules/openai/src",
            "node_modules/ajv/lib",
            "node_modules/htmlparser2/src",
        ],
        judge: "typescript",
    },
    {
        language: "JavaScript",
        ctagsName: "JavaScript",
        counted: ["function", "class", "method", "generator", "getter", "setter"],
        extension: /\.[cm]?js$/,
        folders: [
            "node_modules/eslint/lib",
            "node_modules/mocha/lib",
            "node_modules/acorn/dist",
            "node_modules/ignore",
            "node_modules/@inquirer/core/dist",
        ],
        judge: "typescript",
    },
    {
        language: "Python",
        ctagsName: "Python",
        counted: ["class", "function", "member"],
        extension: /\.py$/,
        folders: ["/usr/lib/python3", "/usr/lib/python3.11", "/usr/lib/python3.12"],
    },
    {
        language: "Go",
        ctagsName: "Go",
        counted: ["func", "type", "struct", "interface", "methodSpec", "alias"],
        extension: /\.go$/,
        folders: [
            "/usr/lib/go",
            "/usr/local/go/src",
            "/usr/share/doc/git/contrib",
            "node_modules/flatted/golang",
        ],
    },
    {
        language: "Rust",
        ctagsName: "Rust",
        counted: [
            "module",
            "struct",
            "interface",
            "function",
            "enum",
            "macro",
            "method",
            "typedef",
        ],
        extension: /\.rs$/,
        folders: ["~/.cargo/registry/src", "~/.rustup/toolchains", "/usr/src"],
    },
    {
        language: "Java",
        ctagsName: "Java",
        counted: ["class", "interface", "enum", "method", "annotation"],
        extension: /\.java$/,
        folders: ["/usr/share", "/usr/lib/jvm", "/usr/src"],
        judge: "jdk",
    },
    {
        language: "C#",
        ctagsName: "C#",
        counted: ["class", "interface", "enum", "method", "struct", "namespace"],
        extension: /\.cs$/,
        folders: ["/usr/lib/node_modules/npm", "/usr/lib/dotnet"],
    },
    {
        language: "PHP",
        ctagsName: "PHP",
        counted: ["class", "interface", "function", "trait", "namespace"],
        extension: /\.php$/,
        folders: ["/usr/share/php", "/usr/lib/google-cloud-sdk/platform"],
    },
    {
        language: "C++",
        ctagsName: "C++",
        counted: [
            "class",
            "struct",
            "union",
            "enum",
            "function",
            "prototype",
            "typedef",
            "namespace",
        ],
        extension: /\.(?:h|hpp|cpp|cc)$/,
        folders: ["/usr/include/c++", "/usr/include/node", "/usr/include/boost", "/usr/include"],
    },
    {
        language: "Ruby",
        ctagsName: "Ruby",
        counted: ["class", "method", "module", "singletonMethod"],
        extension: /\.rb$/,
        folders: ["/usr/lib/ruby", "/usr/share/rubygems-integration", "/usr/share/ruby"],
    },
    {
        language: "Bash",
        ctagsName: "Sh",
        counted: ["function"],
        extension: /\.(?:sh|bash)$/,
        folders: ["/usr/share", "/usr/lib"],
    },
];

/** Regular files below a folder. Does not follow links: system folders have loops. */
async function* walk(folder: string): AsyncGenerator<string> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const file = path.join(folder, entry.name);
        if (entry.isDirectory()) yield* walk(file);
        else if (entry.isFile()) yield file;
    }
}

/**
 * Returns a language's sources, spread evenly over each folder and the same on every run. Files
 * with the same name and length are copies (one header per architecture) and count once.
 */
export async function sourceFiles(corpus: Corpus): Promise<string[]> {
    const files: string[] = [];
    const seen = new Set<string>();
    for (const folder of [...corpus.folders, ...MORE_FOLDERS]) {
        const found: string[] = [];
        for await (const file of walk(folder.replace(/^~/, process.env.HOME ?? "~"))) {
            if (!corpus.extension.test(file) || file.includes(".min.")) continue;
            const { size } = await stat(file);
            const copy = `${path.basename(file)} ${size}`;
            if (size > MAX_BYTES || seen.has(copy)) continue;
            seen.add(copy);
            found.push(file);
        }
        const step = Math.max(1, Math.ceil(found.length / MAX_FILES));
        files.push(...found.filter((_file, index) => index % step === 0));
    }
    return files;
}
