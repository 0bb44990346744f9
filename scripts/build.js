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
for (const { path: file, text } of outputFiles) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, file.endsWith(".cjs") ? toScript(text) : text);
}
const bundle = outputFiles.map((file) => path.basename(file.path)).find(isBundle);
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

/** Commands and hooks, which oclif looks for in files of their own, only point to the bundle. */
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
