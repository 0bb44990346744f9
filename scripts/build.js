// Builds the program that ships: one bundle with shared chunks, the contract's types, the manifest.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { writeManifest } from "./manifest.js";

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

// Bundled CommonJS packages expect these three.
const banner = `import { createRequire as northCreateRequire } from "node:module";
import { fileURLToPath as northFileURLToPath } from "node:url";
import { dirname as northDirname } from "node:path";
const require = northCreateRequire(import.meta.url);
const __filename = northFileURLToPath(import.meta.url);
const __dirname = northDirname(__filename);`;

await build({
    entryPoints: [
        ...sources("src/commands"),
        ...sources("src/hooks"),
        "src/host/start.ts",
        "src/plugin/index.ts",
        "src/plugin-testing/index.ts",
    ],
    outbase: "src",
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    chunkNames: "chunks/[name]-[hash]",
    external,
    banner: { js: banner },
    legalComments: "linked",
    minifySyntax: true,
    minifyWhitespace: true,
    define: {
        "process.env.NORTH_VERSION": JSON.stringify(
            JSON.parse(readFileSync("package.json", "utf8")).version
        ),
    },
    logLevel: "warning",
});

execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json"], {
    stdio: "inherit",
});
await writeManifest(root);

function sources(folder) {
    return readdirSync(folder, { recursive: true })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => path.join(folder, name));
}
