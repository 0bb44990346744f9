// Builds the program that ships: one bundle with shared chunks, the contract's types, the manifest.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bundleContract, bundleProgram, bundleWorkers, parts, root } from "./bundling.js";
import { writeManifest } from "./manifest.js";
import { NOTICES, noticesText } from "./notices.js";
import { toScript } from "./to-script.js";

process.chdir(root);
rmSync("dist", { recursive: true, force: true });

const { outputFiles, metafile } = await bundleProgram();
const texts = new Map(
    outputFiles.map(({ path: file, text }) => [path.relative("dist", file), text])
);
const bundle = [...texts.keys()].find(isBundle);
const atStart = importedAtStart(bundle);
writeScripts(bundle, atStart);
for (const [file, text] of texts) {
    if (atStart.has(file)) continue;
    if (file.endsWith(".cjs")) writeScripts(file, [file]);
    else writeFileSync(path.join("dist", file), text);
}
for (const [index, part] of parts.entries()) writePointer(part, index);

await bundleWorkers();
const contract = await bundleContract();
writeFileSync(NOTICES, noticesText([metafile, contract.metafile]));

execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json"], {
    stdio: "inherit",
});
await writeManifest(root);
execFileSync("npm", ["run", "--silent", "--workspaces", "--if-present", "build"], {
    stdio: "inherit",
});

/** oclif wants commands and hooks in separate files; these only point to the bundle. */
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

/** Returns the chunks imported statically, which every start loads. */
function importedAtStart(bundle) {
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
function writeScripts(file, names) {
    const entries = [...names].map(
        (name) => `${JSON.stringify(name)}:${toScript(texts.get(name))}`
    );
    mkdirSync(path.dirname(path.join("dist", file)), { recursive: true });
    writeFileSync(path.join("dist", file), `({${entries.join(",\n")}})`);
}

function isBundle(name) {
    return name.startsWith("north-") && name.endsWith(".cjs");
}
