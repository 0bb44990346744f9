import { readdirSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../base/attempt.js";
import { isInside, resolveRealPath } from "../../base/paths.js";

/** How programs say that they looked for something in vain. */
const LACKS =
    /\bno (?:such|module)\b|\bnot (?:found|exist)|\b(?:cannot|can['’]t|could not|unable to) (?:be )?(?:find|found|import|load|locate|open|resolve)/i;
/** Variables of this name list folders to search, for any language. */
const SEARCHED = /(?:PATH|LIB)$/;
const QUOTED = /[\p{Quotation_Mark}`]([\w@.+/-]+)[\p{Quotation_Mark}`]/gu;
/** Without quotes it could be any word. */
const FILE_NAME = /(?:^|\s)([\w@+/-]+\.[\w.+-]*\w)(?=:|\s|$)/g;
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
    const lacking = errors.filter((line) => LACKS.test(line));
    const names = [
        ...new Set(
            lacking.flatMap((line) =>
                [QUOTED, FILE_NAME].flatMap((pattern) =>
                    [...line.matchAll(pattern)].flatMap(([, name]) => name ?? [])
                )
            )
        ),
    ].slice(0, MAX_SOUGHT);
    if (names.length === 0) return named;
    const searched = lists.filter(({ name }) => SEARCHED.test(name));
    const folders = [...searched.flatMap((each) => each.folders), ...foldersIn(root)];
    const found = folders.flatMap((folder) => entriesNamed(names, folder));
    return [...named, ...found].filter((each) => {
        const real = resolveRealPath(each);
        return real !== undefined && !isInside(root, real);
    });
}

function foldersIn(root: string): readonly string[] {
    const entries = attempt(() => readdirSync(root, { withFileTypes: true }), []);
    return entries
        .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
        .map(({ name }) => path.join(root, name));
}

/** `a.b` may be a file, or a module `b` in `a`; `a` may be the file `a.py`. */
function entriesNamed(names: readonly string[], folder: string): readonly string[] {
    const wanted = new Set(names.flatMap((name) => [name, name.split(/[./]/, 1)[0]]));
    return attempt(() => readdirSync(folder), [])
        .filter((entry) => wanted.has(entry) || wanted.has(path.parse(entry).name))
        .concat(names.filter((name) => name.includes("/")))
        .map((entry) => path.join(folder, entry));
}
