// esbuild settings for the program that ships, and for the modules that plugins import.
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { META_NAME } from "./to-script.js";

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** These load binaries, grammars or plugins from their own folders, so they stay packages. */
const external = [
    "@lydell/node-pty",
    "@vscode/ripgrep",
    "@napi-rs/keyring",
    "web-tree-sitter",
    "@vscode/tree-sitter-wasm",
    "@oclif/plugin-*",
    // Used by oclif only to run plugins from source.
    "typescript",
    "ts-node",
    "tsx",
    // Only for proxies with Kerberos, which North does not support.
    "kerberos",
];

const SORT_BY_LANGUAGE = "a.id.localeCompare(b.id)";
/** As TypeScript compiles an import: no other name ends in an underscore and a number. */
const IMPORT = /^(?:const|var) (\w+_\d+) = (.*\brequire\("[^"]+"\)\)?);$/gm;

/**
 * Lets oclif's modules load each other when first used: a start needs half of them. Also, oclif
 * sorts ASCII names with localeCompare, whose data takes Node 6 ms to load on every start.
 */
const leanOclif = {
    name: "lean-oclif",
    setup({ onLoad }) {
        onLoad({ filter: /@oclif\/core\/lib\/.*\.js$/ }, async (file) => {
            const text = await readFile(file.path, "utf8");
            if (!file.path.endsWith("config/plugin.js")) return { contents: importedLate(text) };
            if (!text.includes(SORT_BY_LANGUAGE)) throw new Error(`${file.path} sorts otherwise.`);
            return {
                contents: importedLate(text.replace(SORT_BY_LANGUAGE, "a.id < b.id ? -1 : 1")),
            };
        });
    },
};

/**
 * Makes one array of the 700 modules of `linguist-languages`, with what North reads of them: a first
 * message waits for it.
 */
const oneLanguageTable = {
    name: "one-language-table",
    setup({ onLoad }) {
        onLoad({ filter: /linguist-languages\/index\.js$/ }, async () => {
            const languages = Object.values(await import("linguist-languages"));
            const read = languages.map(
                ({ name, type, group, languageId, extensions, filenames }) => {
                    return { name, type, group, languageId, extensions, filenames };
                }
            );
            const text = JSON.stringify(JSON.stringify(read));
            return { contents: `export default JSON.parse(${text});` };
        });
    },
};

/** Returns CommonJS that loads what it imports when it first uses it. */
export function importedLate(text) {
    const names = [...text.matchAll(IMPORT)].map(([, name]) => name);
    if (names.length === 0) return text;
    const uses = new RegExp(`\\b(?:${names.join("|")})\\b(?! = )`, "g");
    return text.replace(uses, "($&())").replace(IMPORT, "var $1$$;function $1(){return $1$$??=$2}");
}

const options = {
    absWorkingDir: root,
    plugins: [leanOclif, oneLanguageTable],
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    chunkNames: "chunks/[name]-[hash]",
    external,
    inject: ["scripts/web-globals.js"],
    // Skips a check of Node's version against North's manifest, which npm and `bin/run.js` have
    // done.
    define: { "process.env.OCLIF_DISABLE_ENGINE_WARNING": '"1"' },
    legalComments: "linked",
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: "warning",
    metafile: true,
};

/** `start`, and oclif's commands and hooks. */
export const parts = ["src/host/start.ts", ...sources("src/commands"), ...sources("src/hooks")];

/** What a chat and print mode load: one file is faster to read than many. */
export const atStart = [
    ...["src/host/start.ts", "src/commands/chat.ts", "src/hooks/register.ts"],
    ...["src/host/chat-conversation.ts", "src/host/print-conversation.ts"],
];

/** Bundles each part, and what parts share in chunks. Writes nothing. */
export async function bundleProgram() {
    const result = await build({
        ...options,
        entryPoints: parts,
        entryNames: options.chunkNames,
        outExtension: { ".js": ".cjs" },
        define: { ...options.define, "import.meta.url": `${META_NAME}.url` },
        write: false,
    });
    refuseLateCommonJs(result.metafile.inputs);
    return result;
}

/**
 * In the bundle, `import()` of a CommonJS package has only a `default`, while Node finds its names.
 * Import it statically in a module of our own, which works in both.
 */
export function refuseLateCommonJs(inputs) {
    for (const [file, { imports }] of Object.entries(inputs)) {
        if (!file.startsWith("src/")) continue;
        const late = imports.find(
            ({ kind, path }) => kind === "dynamic-import" && inputs[path]?.format === "cjs"
        );
        if (late) throw new Error(`${file} imports ${late.original} late: it is CommonJS.`);
    }
}

/** Bundles `north-cli/plugin` and its siblings. */
export function bundleContract(write = true) {
    return build({
        ...options,
        entryPoints: [
            ...["plugin", "plugin-testing", "provider-kit"].map((name) => `src/${name}/index.ts`),
            ...["messages-api", "models"].map(
                (name) => `src/builtin/providers/anthropic/${name}.ts`
            ),
        ],
        outbase: "src",
        // CommonJS code that requires Node's modules does not work in these.
        alias: { debug: "./scripts/no-debug.js" },
        write,
    });
}

/** A worker needs its own file, next to the chunk that starts it. */
export function bundleWorkers() {
    return build({
        ...options,
        splitting: false,
        format: "cjs",
        entryPoints: {
            "chunks/search-worker": "src/workspace/search/search-worker.ts",
            "chunks/parse-worker": "src/code/parse-worker.ts",
            "chunks/busy-thread-worker": "src/host/command-line/busy-thread-worker.ts",
        },
        outExtension: { ".js": ".cjs" },
        define: { ...options.define, "import.meta.url": `${META_NAME}.url` },
        banner: {
            js: `const ${META_NAME}={url:require("node:url").pathToFileURL(__filename).href};`,
        },
    });
}

function sources(folder) {
    return readdirSync(path.join(root, folder), { recursive: true })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => path.join(folder, name));
}
