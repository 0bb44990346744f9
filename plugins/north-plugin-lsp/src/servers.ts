import { existsSync } from "node:fs";
import path from "node:path";

/** A language server, as data. */
export interface ServerKind {
    readonly program: string;
    readonly args: readonly string[];
    /** Language ids by extension: https://microsoft.github.io/language-server-protocol */
    readonly languages: Readonly<Record<string, string>>;
    /** Files that decide how it reads the project: if one changes, it is restarted. */
    readonly settings: RegExp;
    /** Its root is the nearest folder above a file with one of these; the repository by default. */
    readonly roots?: readonly string[];
    /** How a file names a module that it uses, in RE2's syntax; `NAME` is the module's name. */
    readonly use: string;
    /** Files that are named by their folder; by their own name by default. */
    readonly namedByFolder?: RegExp;
    /** The files of a folder see each other without naming each other. */
    readonly sharesFolders?: true;
    /** Asked of tsserver behind it, which tells when it is done. Others publish what they find. */
    readonly asksTypeScript?: true;
    /** How it says that it has loaded the project. What changes before that it may never notice. */
    readonly saysLoaded?: "by status" | "by progress";
    /** The code of an error that stops the compiler: the server guesses after it. */
    readonly fatal?: string;
    readonly options?: object;
    readonly environment?: Readonly<Record<string, string>>;
    readonly install: string;
}

/** None of these may download anything: they have no network. */
export const SERVERS: readonly ServerKind[] = [
    {
        program: "typescript-language-server",
        args: ["--stdio"],
        languages: {
            ...{ ts: "typescript", mts: "typescript", cts: "typescript", tsx: "typescriptreact" },
            ...{ js: "javascript", mjs: "javascript", cjs: "javascript", jsx: "javascriptreact" },
        },
        settings: /^((ts|js)config[^/]*\.json|package\.json|\.package-lock\.json|\.modules\.yaml)$/,
        use: `["'/]NAME(/index)?(\\.\\w+)?["']`,
        namedByFolder: /^index\./,
        asksTypeScript: true,
        options: {
            disableAutomaticTypingAcquisition: true,
            // Else it would learn of changes sometime, through the system, and guess while it loads.
            tsserver: { useClientFileWatcher: true, useSyntaxServer: "never" },
        },
        install: "npm install --global typescript-language-server typescript",
    },
    {
        program: "pyright-langserver",
        args: ["--stdio"],
        languages: { py: "python", pyi: "python" },
        settings: /^(pyrightconfig\.json|pyproject\.toml|setup\.(py|cfg)|requirements[^/]*\.txt)$/,
        use: "^\\s*(from|import)\\b.*\\bNAME\\b",
        namedByFolder: /^__init__\./,
        install: "npm install --global pyright",
    },
    {
        program: "gopls",
        args: [],
        languages: { go: "go" },
        settings: /^go\.(mod|sum|work)$/,
        use: '["/]NAME"',
        namedByFolder: /./,
        roots: ["go.work", "go.mod"],
        sharesFolders: true,
        saysLoaded: "by progress",
        environment: { GOPROXY: "off", GOTOOLCHAIN: "local" },
        install: "go install golang.org/x/tools/gopls@latest",
    },
    {
        program: "clangd",
        args: ["--background-index", "--log=error"],
        languages: {
            ...{ c: "c", h: "c" },
            ...{ cc: "cpp", cpp: "cpp", cxx: "cpp", hh: "cpp", hpp: "cpp", hxx: "cpp" },
        },
        settings: /^(compile_commands\.json|compile_flags\.txt|\.clangd)$/,
        use: '#\\s*(include|import)\\b.*["</]NAME\\.',
        fatal: "pp_file_not_found",
        install: "apt-get install clangd",
    },
    {
        program: "rust-analyzer",
        args: [],
        languages: { rs: "rust" },
        settings: /^(Cargo\.(toml|lock)|rust-toolchain(\.toml)?)$/,
        use: "\\bmod\\s+NAME\\b|\\bNAME::|::NAME\\b",
        namedByFolder: /^(mod|lib)\./,
        roots: ["Cargo.toml"],
        sharesFolders: true,
        saysLoaded: "by status",
        // What cargo finds is not what is proposed.
        options: {
            checkOnSave: false,
            cargo: { buildScripts: { enable: false } },
            // Without rust-src it knows neither `std` nor the types of what uses it.
            diagnostics: { disabled: ["unresolved-extern-crate", "E0308"] },
        },
        environment: { CARGO_NET_OFFLINE: "true" },
        install: "rustup component add rust-analyzer",
    },
];

/** Outside of what a repository lists, and they change whenever dependencies do. */
export const DEPENDENCY_MARKS = ["node_modules/.package-lock.json", "node_modules/.modules.yaml"];

export function kindFor(file: string): ServerKind | undefined {
    return SERVERS.find((kind) => languageOf(kind, file) !== undefined);
}

export function languageOf({ languages }: ServerKind, file: string): string | undefined {
    const extension = path.extname(file).slice(1).toLowerCase();
    return Object.hasOwn(languages, extension) ? languages[extension] : undefined;
}

/** Whether a server must be restarted once this file changes. */
export function isSetting({ settings }: ServerKind, file: string): boolean {
    return settings.test(path.basename(file));
}

/** Where it is installed; the project's own first, as in editors. */
export function findProgram(
    { program }: ServerKind,
    root: string,
    searchPath: string
): string | undefined {
    const folders = [path.join(root, "node_modules/.bin"), ...searchPath.split(":")];
    return folders
        .filter((folder) => path.isAbsolute(folder))
        .map((folder) => path.join(folder, program))
        .find((file) => existsSync(file));
}

/** The root of the server for a file, relative to the repository; `""` is the repository itself. */
export function rootFor({ roots = [] }: ServerKind, file: string, root: string): string {
    for (let folder = path.posix.dirname(file); ; folder = path.posix.dirname(folder)) {
        if (folder === ".") return "";
        if (roots.some((name) => existsSync(path.join(root, folder, name)))) return folder;
    }
}
