import { counted } from "../base/format.js";

/**
 * What a contained command left in one ignored place. It is moved into the project as a whole:
 * counted in the review, not compared line by line, and never undone.
 */
export interface Output {
    /** Relative to the root: the ignored folder, ending with `/`, or an ignored file, as `*.log`. */
    readonly path: string;
    /** Files and links it created, changed or deleted. */
    readonly files: number;
    /** How many of them it deleted. */
    readonly deleted: number;
    /** The first of them, relative to the folder. */
    readonly names: readonly string[];
}

/** `214 files, 3 deleted`, `1 file deleted` */
export function outputCount({ files, deleted }: Pick<Output, "files" | "deleted">): string {
    const all = counted(files, "file");
    if (deleted === 0) return all;
    return deleted === files ? `${all} deleted` : `${all}, ${deleted} deleted`;
}

/** `dist/ (214 files)` */
export function outputLine(output: Output): string {
    return `${output.path} (${outputCount(output)})`;
}

/** Caches of test runners, linters and type checkers for their next run. Nothing executes them. */
const NOTES =
    /^(?:.*\/)?(?:\.(?:pytest_cache|mypy_cache|ruff_cache|benchmarks|nyc_output)\/|node_modules\/\.vite\/vitest\/|\.(?:eslint|stylelint)cache$|\.coverage$|[^/]*\.tsbuildinfo$)/i;

/** Names of data in such caches. Test runners look for tests in folders of any name. */
const DATA = /(?:^|\/)(?:\.?[^/.]+|[^/]*\.(?:json|data|meta|ff|db|tag|md|lock|tsbuildinfo))$/i;

/** Code compiled for a later run, which would run in place of the sources that were reviewed. */
const COMPILED =
    /^(?:.*\/)?(?:__pycache__|node_modules\/\.(?:cache|vite|vite-temp|vitest)|\.parcel-cache|\.turbo)\//i;

/**
 * A known cache of a tool: the place, and what happens to it without a question. `isPlain`: neither
 * a link nor executable.
 */
export function cacheAround(
    path: string,
    isPlain: boolean
): { readonly path: string; readonly way: "keep" | "discard" } | undefined {
    const [notes] = NOTES.exec(path) ?? [];
    const isData = isPlain && (path.endsWith("/") || DATA.test(path));
    if (notes !== undefined && isData) return { path: notes, way: "keep" };
    const [compiled] = COMPILED.exec(path) ?? [];
    return compiled === undefined ? undefined : { path: compiled, way: "discard" };
}
