// Which build some test files need: `all`, `program` or none.
import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { root } from "./bundling.js";

/** In tests and helpers that use the built program, or what plugins import. */
const USES_PROGRAM = /bin\/run\.js|scripts\/manifest/;
const USES_ALL =
    /["/]dist\/|packed-north|plugins\/north-|["'`]npm["'`]|scripts\/(?!manifest)[\w-]+\.[jt]s/;

export async function buildNeededBy(files) {
    if (files.length === 0) return "all";
    if (files.some((file) => file.includes("plugins/"))) return "all";
    const { metafile } = await build({
        absWorkingDir: root,
        entryPoints: files,
        outdir: "build",
        bundle: true,
        packages: "external",
        platform: "node",
        format: "esm",
        metafile: true,
        write: false,
        logLevel: "silent",
    });
    const tests = Object.keys(metafile.inputs).filter((file) => !file.startsWith("src/"));
    const texts = tests.map((file) => readFileSync(path.join(root, file), "utf8"));
    if (texts.some((text) => USES_ALL.test(text))) return "all";
    return texts.some((text) => USES_PROGRAM.test(text)) ? "program" : undefined;
}
