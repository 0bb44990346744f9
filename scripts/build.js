// Builds the program that ships: one bundle with shared chunks, the contract's types, the manifest.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundleContract, bundleProgram, bundleWorkers, parts, root } from "./bundling.js";
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

/** Writes the bundle, the workers and the manifest. */
async function writeProgram() {
    const { outputFiles, metafile } = await bundleProgram();
    const texts = new Map(
        outputFiles.map(({ path: file, text }) => [path.relative("dist", file), text])
    );
    const bundle = [...texts.keys()].find(isBundle);
    const atStart = importedAtStart(bundle, texts, metafile);
    writeScripts(bundle, atStart, texts);
    for (const [file, text] of texts) {
        if (atStart.has(file)) continue;
        if (file.endsWith(".cjs")) writeScripts(file, [file], texts);
        else writeFileSync(path.join("dist", file), text);
    }
    for (const [index, part] of parts.entries()) writePointer(part, index, bundle);
    await bundleWorkers();
    await writeManifest(root);
    return { metafile };
}

/** oclif wants commands and hooks in separate files; these only point to the bundle. */
function writePointer(part, index, bundle) {
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

/** Returns the chunks imported statically, which every start loads. */
function importedAtStart(bundle, texts, metafile) {
    const found = new Set([bundle]);
    for (const file of found) {
        for (const { path: imported, kind } of metafile.outputs[`dist/${file}`].imports) {
            if (kind === "import-statement" && texts.has(path.relative("dist", imported))) {
                found.add(path.relative("dist", imported));
            }
        }
    }
    return found;
}

/** Writes a table of scripts by name: one file is faster to read than many. */
function writeScripts(file, names, texts) {
    const entries = [...names].map(
        (name) => `${JSON.stringify(name)}:${toScript(texts.get(name))}`
    );
    mkdirSync(path.dirname(path.join("dist", file)), { recursive: true });
    writeFileSync(path.join("dist", file), `({${entries.join(",\n")}})`);
}

function isBundle(name) {
    return name.startsWith("north-") && name.endsWith(".cjs");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
