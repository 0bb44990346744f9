/**
 * Bundles the TypeScript that a worker thread runs: tsx transpiles only on the main thread, and
 * would take a quarter of a second in each worker, of which tests start hundreds.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import threads from "node:worker_threads";
import { buildSync } from "esbuild";

// Within node_modules, where packages that are not bundled are found.
const FOLDER = fileURLToPath(new URL("../../node_modules/.cache/north/workers/", import.meta.url));
const bundles = new Map();

threads.Worker = class extends threads.Worker {
    constructor(file, options) {
        if (String(file).endsWith(".ts")) {
            super(bundled(fileURLToPath(file)), { ...options, execArgv: [] });
        } else {
            super(file, options);
        }
    }
};
syncBuiltinESMExports();

/** Once a process, so that it is never older than its source. */
function bundled(source) {
    const known = bundles.get(source);
    if (known !== undefined) return known;
    const {
        outputFiles: [{ contents }],
    } = buildSync({
        entryPoints: [source],
        ...{ bundle: true, platform: "node", format: "esm", packages: "external", write: false },
    });
    const name = `${createHash("sha256").update(contents).digest("hex").slice(0, 16)}.mjs`;
    const file = path.join(FOLDER, name);
    if (!existsSync(file)) {
        mkdirSync(FOLDER, { recursive: true });
        // Other processes may load it meanwhile.
        writeFileSync(`${file}.${process.pid}`, contents);
        renameSync(`${file}.${process.pid}`, file);
    }
    bundles.set(source, file);
    return file;
}
