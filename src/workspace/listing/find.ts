import { compileGlob, invalidGlob } from "../../base/glob.js";
import type { FindResult } from "../../plugin/workspace.js";
import { Pacer } from "../../base/pacer.js";

const LIMIT_MS = 30_000;
/** Checking the clock costs more than a match. */
const MATCHES_BETWEEN_LOOKS = 256;

/** Returns the paths that match a glob, in order. Rejects with `invalid-pattern`. */
export async function find(
    paths: readonly string[],
    pattern: string,
    options: { readonly limit: number; readonly signal?: AbortSignal }
): Promise<FindResult> {
    const matches = await compilePathGlob(pattern);
    const pacer = new Pacer("Matching the names", LIMIT_MS, options.signal);
    const files: string[] = [];
    let total = 0;
    let looked = 0;
    for (const path of paths) {
        if (matches(path)) {
            total += 1;
            if (files.length < options.limit) files.push(path);
        }
        looked += 1;
        if (looked % MATCHES_BETWEEN_LOOKS === 0 && pacer.isDue) await pacer.yieldToEventLoop();
    }
    return { files, truncated: files.length < total, total };
}

/**
 * Compiles a glob to a predicate for paths relative to the root. Ignores case; a pattern without
 * `/` matches names in any folder, one ending with `/` everything in such a folder.
 */
export async function compilePathGlob(pattern: string): Promise<(path: string) => boolean> {
    const glob = pattern.replace(/^\.\//, "").replace(/\/$/, "/**");
    if (glob === "" || glob.split("/").includes("..")) {
        throw invalidGlob(pattern, glob === "" ? "it is empty" : "it leads outside the repository");
    }

    const matches = await compileGlob(glob.replace(/^\/+/, ""), { ignoreCase: true });
    if (glob.includes("/")) return matches;
    return (path) => matches(path.slice(path.lastIndexOf("/") + 1));
}
