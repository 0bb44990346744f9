// Builds the program that ships: one bundle with shared chunks, the contract's types, the manifest.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { atStart, bundleContract, bundleProgram, bundleWorkers, parts, root } from "./bundling.js";
import { BUILT } from "./freshness.js";
import { writeManifest } from "./manifest.js";
import { NOTICES, noticesText } from "./notices.js";
import { toScript } from "./to-script.js";

/** Builds what `north` runs. */
export function buildProgram() {
    return dated(BUILT.program, async () => {
        await writeProgram();
    });
}

/** Builds the program, what plugins import, and North's own plugins. */
export function buildAll() {
    return dated(BUILT.all, async () => {
        // In a process of its own, beside the bundling.
        const types = run(process.execPath, [
            "node_modules/typescript/bin/tsc",
            // `npm test` checks types, which takes longer than to write these.
            ...["-p", "tsconfig.types.json", "--noCheck"],
        ]);
        const [program, contract] = await Promise.all([writeProgram(), bundleContract(), types]);
        writeFileSync(NOTICES, noticesText([program.metafile, contract.metafile]));
        await run("npm", ["run", "--silent", "--workspaces", "--if-present", "build"]);
    });
}

/** Dates what a build writes back to its start, so that an edit during the build makes it stale. */
async function dated(files, build) {
    const start = new Date();
    process.chdir(root);
    rmSync("dist", { recursive: true, force: true });
    await build();
    for (const file of files) utimesSync(file, start, start);
}

async function run(program, options) {
    const child = spawn(program, options, { stdio: "inherit" });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`${[program, ...options].join(" ")} exited with ${code}.`);
}

/** Writes the bundle, the chunks, the workers and the manifest. */
async function writeProgram() {
    const { outputFiles, metafile } = await bundleProgram();
    const texts = new Map(outputFiles.map(({ path: file, text }) => [path.basename(file), text]));
    const outputs = new Map(
        Object.entries(metafile.outputs).map(([file, { entryPoint }]) => [
            entryPoint,
            path.basename(file),
        ])
    );
    const bundled = importedStatically(
        atStart.map((part) => outputs.get(part)),
        metafile
    );
    // The code cache is named after the bundle, so its name depends on all that is loaded.
    const bundle = `north-${hashOf([...texts.keys()])}.cjs`;
    mkdirSync("dist/chunks", { recursive: true });
    writeScripts(bundle, bundled, texts);
    for (const [file, text] of texts) {
        if (bundled.has(file)) continue;
        if (file.endsWith(".cjs")) writeScripts(file, [file], texts);
        else writeFileSync(path.join("dist/chunks", file), text);
    }
    for (const part of parts) writePointer(part, bundle, outputs.get(part));
    await bundleWorkers();
    await writeManifest(root);
    return { metafile };
}

/** The names that esbuild gives contain hashes of the contents. */
function hashOf(names) {
    return createHash("sha256").update(names.join()).digest("hex").slice(0, 8);
}

/** oclif wants commands and hooks in separate files; these only point to the bundle. */
function writePointer(part, bundle, output) {
    const file = part.replace(/^src/, "dist").replace(/\.ts$/, ".cjs");
    const loader = path.relative(path.dirname(file), "bin/bundle.js");
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `module.exports = require("${loader}").load("${bundle}", "${output}");\n`);
}

/** Returns these outputs and what they import statically. */
function importedStatically(outputs, metafile) {
    const found = new Set(outputs);
    for (const output of found) {
        for (const { path: imported, kind } of metafile.outputs[`dist/chunks/${output}`].imports) {
            if (kind === "import-statement" && imported in metafile.outputs) {
                found.add(path.basename(imported));
            }
        }
    }
    return found;
}

/** Writes a table of scripts by name. */
function writeScripts(file, names, texts) {
    const entries = [...names].map(
        (name) => `${JSON.stringify(name)}:${toScript(texts.get(name))}`
    );
    writeFileSync(path.join("dist/chunks", file), `({${entries.join(",\n")}})`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
