import { isBinary } from "../../../base/binary.js";
import { foldersAbove } from "../../../base/paths.js";
import { sha256 } from "../../../base/sha256.js";
import { typeAfter, typeBefore } from "../../../plugin/change-set.js";
import type { ChangedFile, MergeConflict } from "../../../plugin/index.js";
import type { ContentStore } from "../../conversation/content-store.js";
import { isSameVersion, type View, withChanges } from "../../draft/view.js";

/** What one of several writers made of the same base. */
interface Writer {
    /** For the model and for conflict markers: `task 1`. */
    readonly name: string;
    /** Its net changes of the base. */
    readonly files: View;
}

type Contents = Pick<ContentStore, "get" | "put">;

/**
 * Merges writers in their order, by lines as git does. Nothing is lost: what cannot be merged is a
 * conflict that has both sides. Rejects like the store.
 */
export async function mergeWriters(
    writers: readonly Writer[],
    contents: Contents
): Promise<{
    /** The net changes of the base by all of them; of conflicting lines both sides, marked. */
    readonly files: View;
    readonly conflicts: readonly MergeConflict[];
}> {
    const merged = new Map<string, Merged>();
    /** Those that hold what is merged. */
    const folders = new Set<string>();
    const conflicts: MergeConflict[] = [];
    for (const { name, files } of writers) {
        for (const file of files.values()) {
            const earlier = inTheWay(file, merged, folders) ?? merged.get(file.path);
            const later = { by: [name], file };
            const joined: Joined = earlier
                ? await joinedFile(earlier, later, contents)
                : { ...later, conflicts: [] };
            conflicts.push(...joined.conflicts);
            merged.set(joined.file.path, joined);
            for (const folder of foldersAbove(joined.file.path)) folders.add(folder);
        }
    }
    const files = [...merged.values()].map(({ file }) => file);
    return { files: withChanges(new Map(), withoutLostFolders(files)), conflicts };
}

interface Merged {
    readonly by: readonly string[];
    readonly file: ChangedFile;
}

type Joined = Merged & { readonly conflicts: readonly MergeConflict[] };

/** A file where the other needs a folder. */
function inTheWay(
    { path: name, afterHash, type }: ChangedFile,
    merged: ReadonlyMap<string, Merged>,
    folders: ReadonlySet<string>
): Merged | undefined {
    if (afterHash === null) return undefined;
    const isFile = ({ file }: Merged) => file.afterHash !== null && file.type !== "folder";
    const above = foldersAbove(name).flatMap((folder) => merged.get(folder) ?? []);
    const file = above.find(isFile);
    if (file || type === "folder" || !folders.has(name)) return file;
    return [...merged.values()].find(
        ({ file }) => file.afterHash !== null && file.path.startsWith(`${name}/`)
    );
}

/** Folders that one writer removed and another needs. */
function withoutLostFolders(files: readonly ChangedFile[]): readonly ChangedFile[] {
    const needed = new Set(
        files.flatMap(({ path: name, afterHash }) => (afterHash === null ? [] : foldersAbove(name)))
    );
    return files.filter(
        ({ path: name, type, afterHash }) =>
            !(type === "folder" && afterHash === null && needed.has(name))
    );
}

async function joinedFile(earlier: Merged, later: Merged, contents: Contents): Promise<Joined> {
    const by = [...earlier.by, ...later.by];
    const [one, two] = [earlier.file, later.file];
    const whole = async (file: ChangedFile): Promise<Joined> => {
        const sides = await Promise.all([sideOf(earlier, contents), sideOf(later, contents)]);
        return { by, file, conflicts: [{ path: two.path, sides }] };
    };
    if (one.path !== two.path) return whole(one);
    const clean = (file: ChangedFile): Joined => ({ by, file, conflicts: [] });
    if (hasSameContent(one, two) || isContentKept(two)) return clean(withModeOf(one, two));
    if (isContentKept(one)) return clean(withModeOf(two, one));
    if (one.afterHash === null) return whole(two);
    if (two.afterHash === null) return whole(one);
    const wasFile = one.beforeHash === null || typeBefore(one) === "file";
    const isText = wasFile && [one, two].every((file) => typeAfter(file) === "file");
    if (!isText) return whole(one);
    const [base, mine, now] = await Promise.all([
        one.beforeHash === null ? new Uint8Array() : contents.get(one.beforeHash),
        contents.get(one.afterHash),
        contents.get(two.afterHash),
    ]);
    if ([base, mine, now].some(isBinary)) return whole(one);
    const { mergeLines } = await import("../../history/merge-lines.js");
    const labels = { mine: earlier.by.join(" and "), now: later.by.join(" and ") };
    const { bytes, conflicts } = mergeLines({ base, mine, now }, labels);
    const afterHash = await contents.put(bytes);
    return {
        by,
        file: { ...withModeOf(one, two), afterHash },
        conflicts: conflicts.map((conflict) => ({
            path: two.path,
            line: conflict.line,
            sides: [
                { by: labels.mine, text: conflict.mine.join("\n") },
                { by: labels.now, text: conflict.now.join("\n") },
            ],
        })),
    };
}

const EMPTY = sha256(new Uint8Array());

function hasSameContent(one: ChangedFile, two: ChangedFile): boolean {
    if (one.afterHash !== two.afterHash) return false;
    return one.afterHash === null || typeAfter(one) === typeAfter(two);
}

function isContentKept(file: ChangedFile): boolean {
    return isSameVersion({ ...file, modeBefore: 0, modeAfter: 0 });
}

/** The mode is the later one's, if that changed it. */
function withModeOf(file: ChangedFile, later: ChangedFile): ChangedFile {
    const isChanged = later.modeAfter !== undefined && later.modeAfter !== later.modeBefore;
    return isChanged && file.afterHash !== null ? { ...file, modeAfter: later.modeAfter } : file;
}

const MAX_SIDE_CHARACTERS = 16_000;

/** What a writer made of a path, as text. */
async function sideOf({ by, file }: Merged, contents: Contents) {
    const { afterHash, path: name } = file;
    const text = async () => {
        if (afterHash === null) return `(deleted ${name})`;
        const type = typeAfter(file);
        if (type === "folder") return `(made the folder ${name})`;
        const bytes = afterHash === EMPTY ? new Uint8Array() : await contents.get(afterHash);
        if (isBinary(bytes)) return `(binary, ${bytes.length} bytes)`;
        const content = Buffer.from(bytes).toString("utf8").slice(0, MAX_SIDE_CHARACTERS);
        return type === "link" ? `(a link to ${content})` : content;
    };
    return { by: by.join(" and "), text: await text() };
}
