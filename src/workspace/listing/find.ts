import type { FindResult } from "../../plugin/workspace.js";
import { Pacer } from "../pacer.js";
import { compileGlob } from "./glob.js";

const LIMIT_MS = 30_000;
/** Looking at the clock costs more than a match. */
const MATCHES_BETWEEN_LOOKS = 256;

/** The paths that match a glob, in their order. Rejects with `invalid-pattern`. */
export async function find(
    paths: readonly string[],
    pattern: string,
    options: { readonly limit: number; readonly signal?: AbortSignal }
): Promise<FindResult> {
    const matches = compileGlob(pattern);
    const pacer = new Pacer("Matching the names", LIMIT_MS, options.signal);
    const files: string[] = [];
    let total = 0;
    for (const [index, path] of paths.entries()) {
        if (matches(path)) {
            total += 1;
            if (files.length < options.limit) files.push(path);
        }
        if (index % MATCHES_BETWEEN_LOOKS === 0 && pacer.isDue) await pacer.breathe();
    }
    return { files, truncated: files.length < total, total };
}
