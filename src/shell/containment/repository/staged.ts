import { copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import { groupBy } from "../../../base/group-by.js";
import {
    indexEntries,
    indexVersion,
    LIST_INDEX,
    type IndexEntry,
} from "../../../base/index-entries.js";
import { counted, firstOf } from "../../../base/format.js";
import { NorthError } from "../../../base/north-error.js";
import type { RepositoryPlan } from "../../../base/repository-plan.js";
import type { GitChange } from "../../../plugin/git-changes.js";
import type { ComparedFile } from "./committed-files.js";
import { decoded, type LayeredGit, type ObjectReader } from "./layered-git.js";

/** What git keeps in a tree. */
const MODES = /^(?:100644|100755|120000|160000)$/;
const SUBMODULE = "160000";
/** `git add -N`, in the flags that `ls-files --debug` prints. */
const INTENT_TO_ADD = /flags: [2367abef][0-9a-f]{7}$/m;
const EMPTY_FILE =
    /^(?:e69de29bb2d1d6434b8b29ae775ad8c2e48c5391|473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813)$/;

export interface StagedChange {
    /** The entries that are new or changed. */
    readonly entries: readonly IndexEntry[];
    /** Unmerged ones whose contents the repository did not have, as new files. */
    readonly conflicts: readonly ComparedFile[];
    /** Paths whose entries changed or are gone. */
    readonly paths: ReadonlySet<string>;
    /** For `git update-index -z --index-info`. */
    readonly input: string;
    /** The versions of the index; see `indexVersion`. */
    readonly before: string;
    readonly after: string;
}

/** How the index changed; `undefined` if it did not, `other` if it cannot be described in git's terms. */
export async function stagedChange(
    git: LayeredGit,
    real: ObjectReader
): Promise<StagedChange | "other" | undefined> {
    const place = git.own("index");
    const list = (file: string) => real.with({ GIT_INDEX_FILE: file }).read(LIST_INDEX);
    const [before, after] = [await list(git.lower(place)), await list(git.upper(place))];
    if (before === undefined || after === undefined) return "other";
    if (before === after) return undefined;
    const known = groupBy(indexEntries(before), ({ path }) => path);
    const found = groupBy(indexEntries(after), ({ path }) => path);
    const paths = new Set<string>();
    for (const name of new Set([...known.keys(), ...found.keys()])) {
        if (textOf(known.get(name)) !== textOf(found.get(name))) paths.add(name);
    }
    const entries = [...paths].flatMap((name) => found.get(name) ?? []);
    const isPlain = [...entries, ...[...paths].flatMap((name) => known.get(name) ?? [])].every(
        ({ tag, mode }) => /^[HM]$/.test(tag) && MODES.test(mode)
    );
    if (!isPlain || (await hasIntentToAdd(entries, real, git.upper(place)))) return "other";
    const sample = entries[0] ?? [...known.values()][0]?.[0];
    const nothing = "0".repeat(sample?.id.length ?? 0);
    const gone = [...paths].map((name) => `0 ${nothing}\t${name}\0`);
    const added = entries.map(
        ({ mode, id, stage, path: name }) => `${mode} ${id} ${stage}\t${name}\0`
    );
    return {
        entries,
        conflicts: await newConflicts(entries, real),
        paths,
        input: [...gone, ...added].join(""),
        before: indexVersion(before),
        after: indexVersion(after),
    };
}

async function newConflicts(
    entries: readonly IndexEntry[],
    real: ObjectReader
): Promise<readonly ComparedFile[]> {
    const unmerged = entries.filter(({ tag, mode }) => tag === "M" && mode !== SUBMODULE);
    if (unmerged.length === 0) return [];
    const types = await real.facts(
        "objecttype",
        unmerged.map(({ id }) => id)
    );
    return unmerged
        .filter(({ id }) => types.get(id) === "missing")
        .map(({ path: name, mode, id }) => ({
            path: decoded(name),
            modes: ["000000", mode],
            ids: ["0".repeat(id.length), id],
        }));
}

/** Writes the index as it shall be, from the real one. Git refuses paths that lead
 * into its folder: then it rejects with `git-failed`. */
export async function writeIndex(
    git: LayeredGit,
    staged: StagedChange,
    verified: ObjectReader,
    folder: string
): Promise<NonNullable<RepositoryPlan["index"]>> {
    const file = path.join(folder, "index");
    const original = git.lower(git.own("index"));
    if (existsSync(original)) copyFileSync(original, file);
    const own = verified.with({ GIT_INDEX_FILE: file });
    await own.need(["update-index", "-z", "--index-info"], staged.input);
    if (indexVersion(await own.need(LIST_INDEX)) !== staged.after) {
        throw new NorthError("git-failed", "Git refuses what is staged.");
    }
    return { file, before: staged.before };
}

export function stagedIds({ entries }: StagedChange): readonly string[] {
    return entries.flatMap(({ mode, id }) => (mode === SUBMODULE ? [] : id));
}

function textOf(entries: readonly IndexEntry[] = []): string {
    return entries.map(({ tag, mode, id, stage }) => `${tag} ${mode} ${id} ${stage}`).join("\n");
}

async function hasIntentToAdd(
    entries: readonly IndexEntry[],
    real: ObjectReader,
    file: string
): Promise<boolean> {
    if (!entries.some(({ id }) => EMPTY_FILE.test(id))) return false;
    const listing = await real.with({ GIT_INDEX_FILE: file }).read(["ls-files", "--debug"]);
    return listing === undefined || INTENT_TO_ADD.test(listing);
}

export function stagedLine(
    verb: string,
    files: readonly (ComparedFile | string)[]
): GitChange & { readonly isPlain: true } {
    const names = files.map((file) => {
        if (typeof file === "string") return decoded(file);
        return /^0+$/.test(file.ids[1]) ? `${file.path} (deleted)` : file.path;
    });
    return {
        what: `${verb} ${files.length === 1 ? names[0] : counted(files.length, "file")}`,
        ...(files.length > 1 && { detail: firstOf(names) }),
        isPlain: true,
    };
}
