// Builds the program that ships: one bundle with shared chunks, the contract's types, the manifest.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { writeManifest } from "./manifest.js";
import { toScript, URL_NAME } from "./to-script.js";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
rmSync("dist", { recursive: true, force: true });

// These load binaries, grammars or plugins from their own folders, so they stay packages.
const external = [
    "@lydell/node-pty",
    "@vscode/ripgrep",
    "@napi-rs/keyring",
    "web-tree-sitter",
    "@vscode/tree-sitter-wasm",
    "@oclif/plugin-*",
    // oclif asks for these only to run plugins from their sources.
    "typescript",
    "ts-node",
    "tsx",
];

const options = {
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    chunkNames: "chunks/[name]-[hash]",
    external,
    legalComments: "linked",
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: "warning",
};

// One file for all that a start needs: every further file costs it time. oclif looks for commands
// and hooks in files of their own, which only point to it.
const parts = ["src/host/start.ts", ...sources("src/commands"), ...sources("src/hooks")];
const { outputFiles } = await build({
    ...options,
    stdin: {
        contents: parts.map((part, index) => exportsOf(part, index)).join("\n"),
        resolveDir: root,
        sourcefile: "north.js",
    },
    entryNames: "north-[hash]",
    outExtension: { ".js": ".cjs" },
    define: { "import.meta.url": URL_NAME },
    write: false,
});
for (const { path: file, text } of outputFiles) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, file.endsWith(".cjs") ? toScript(text) : text);
}
const bundle = outputFiles.map((file) => path.basename(file.path)).find(isBundle);
for (const [index, part] of parts.entries()) writePointer(part, index);

await build({
    ...options,
    entryPoints: ["plugin", "plugin-testing", "provider-kit"].map((name) => `src/${name}/index.ts`),
    outbase: "src",
});

execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json"], {
    stdio: "inherit",
});
await writeManifest(root);
execFileSync("npm", ["run", "--silent", "--workspaces", "--if-present", "build"], {
    stdio: "inherit",
});

function sources(folder) {
    return readdirSync(folder, { recursive: true })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => path.join(folder, name));
}

/** `start` keeps its name; a command or hook is the default export of its file. */
function exportsOf(part, index) {
    return index === 0
        ? `export { start } from "./${part}";`
        : `export { default as part${index} } from "./${part}";`;
}

function writePointer(part, index) {
    const file = part.replace(/^src/, "dist").replace(/\.ts$/, ".js");
    const loader = path.relative(path.dirname(file), "bin/bundle.js");
    const value = `load("${bundle}")`;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(
        file,
        `import { load } from "${loader}";\n` +
            (index === 0
                ? `export const { start } = ${value};\n`
                : `export default ${value}.part${index};\n`)
    );
}

function isBundle(name) {
    return name.startsWith("north-") && name.endsWith(".cjs");
}
