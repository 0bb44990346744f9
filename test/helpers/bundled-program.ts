import { mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const built = new Map<string, string>();

/** Bundles a test program into one file, which starts many times faster than through tsx. */
export function bundledProgram(source: URL): string {
    const known = built.get(source.href);
    if (known !== undefined) return known;
    const folder = mkdtempSync(path.join(process.env.HOME ?? os.tmpdir(), "program-"));
    const outfile = path.join(folder, "program.mjs");
    buildSync({
        entryPoints: [fileURLToPath(source)],
        outfile,
        bundle: true,
        platform: "node",
        format: "esm",
        // CommonJS packages require Node's built-in modules.
        banner: { js: `const require = process.getBuiltinModule("module").createRequire("/");` },
        logLevel: "error",
    });
    built.set(source.href, outfile);
    return outfile;
}
