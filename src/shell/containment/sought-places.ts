import { readdirSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../base/attempt.js";
import { isInside, resolveRealPath } from "../../base/paths.js";

/** How programs say that they looked for something in vain. */
const LACKS =
    /\bno (?:such|module)\b|\bnot (?:found|exist)|\b(?:cannot|can['’]t|could not|unable to) (?:be )?(?:find|found|import|load|locate|open|resolve)/i;
/** Variables of this name list folders to search, for any language. */
const SEARCHED = /(?:PATH|LIB)$/;
const QUOTED = /[\p{Quotation_Mark}`]([\w@.+/-]*\w)[\p{Quotation_Mark}`]/gu;
/** Without quotes, other words could be any. */
const PATH_NAME = /^[\w@+-]*[./][\w@+./-]*\w$/;
const MAX_SOUGHT = 200;

/**
 * Paths outside the project that hold what errors lack, and what they name by its variable. A module
 * that is found through `PYTHONPATH`, or a link in `node_modules`, is missed by its name alone.
 */
export function soughtPlaces(
    errors: readonly string[],
    variables: ReadonlyMap<string, string>,
    root: string
): readonly string[] {
    const lists = [...variables].map(([name, value]) => ({
        name,
        folders: value.split(":").filter((each) => path.isAbsolute(each)),
    }));
    const named = lists
        .filter(({ name }) => errors.some((line) => line.split(/\W+/).includes(name)))
        .flatMap(({ folders }) => folders);
    // CMake names the file below.
    const sentences = errors
        .join("\n")
        .replace(/:\s*\n\s*/g, ": ")
        .split("\n");
    const lacking = sentences.filter((line) => LACKS.test(line));
    const names = [...new Set(lacking.flatMap(namesIn))].slice(0, MAX_SOUGHT);
    if (names.length === 0) return named;
    const searched = lists.filter(({ name }) => SEARCHED.test(name));
    const folders = [...searched.flatMap((each) => each.folders), root, ...foldersIn(root)];
    const listings = new Map<string, readonly string[]>();
    const found = folders.flatMap((folder) =>
        names.flatMap((name) => entriesNamed(path.resolve(folder, name), listings))
    );
    return [...named, ...found].filter((each) => {
        const real = resolveRealPath(each);
        return real !== undefined && !isInside(root, real);
    });
}

function namesIn(line: string): readonly string[] {
    const quoted = [...line.matchAll(QUOTED)].flatMap(([, name]) => name ?? []);
    const words = line.split(/:?(?:\s+|$)/).filter((word) => PATH_NAME.test(word));
    return [...quoted, ...words];
}

function foldersIn(root: string): readonly string[] {
    const entries = attempt(() => readdirSync(root, { withFileTypes: true }), []);
    return entries
        .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
        .map(({ name }) => path.join(root, name));
}

/** `a.b` may be a file, or a module `b` in `a`; `a` may be the file `a.py`. */
function entriesNamed(
    location: string,
    listings: Map<string, readonly string[]>
): readonly string[] {
    const { dir, base } = path.parse(location);
    const entries = listings.get(dir) ?? attempt(() => readdirSync(dir), []);
    listings.set(dir, entries);
    const [first] = base.split(".", 1);
    return entries
        .filter((entry) => [entry, path.parse(entry).name].includes(base) || entry === first)
        .map((entry) => path.join(dir, entry));
}
