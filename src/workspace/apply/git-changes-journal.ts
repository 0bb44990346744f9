import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { isFields, jsonIn } from "../../base/fields.js";
import type { RepositoryPlan } from "../../base/repository-plan.js";
import { sha256 } from "../../base/sha256.js";
import type { FileChange, FileType } from "../../plugin/index.js";
import { typeAfter, typeBefore } from "../../plugin/change-set.js";
import { beginApply, endApply, isAbandoned } from "./apply-owner.js";
import type { ApplyJournal } from "./journal.js";
import { readVersion } from "./version.js";

interface Journaled {
    readonly root: string;
    readonly plan: RepositoryPlan;
    readonly files: readonly WrittenFile[];
}

/** A file that is written before git's folder changes. */
interface WrittenFile extends FileState {
    readonly path: string;
    readonly before: FileState;
}

interface FileState {
    readonly type: FileType;
    /** SHA-256 in hex; `null` if there is none. */
    readonly hash: string | null;
    readonly mode?: number | undefined;
}

interface PlannedGitChanges extends Pick<Journaled, "root" | "plan"> {
    readonly changes: readonly FileChange[];
}

const PLAN = "plan.json";

/** Writes down, durably, what is about to be done, with the index that it takes. */
export async function journalGitChanges(
    folder: string,
    { root, plan, changes }: PlannedGitChanges
) {
    const id = await beginApply();
    const own = path.join(folder, id);
    await mkdir(own, { recursive: true, mode: 0o700 });
    const { pack: _stored, index, ...rest } = plan;
    const file = path.join(own, "index");
    if (index) await copyFile(index.file, file);
    const kept: RepositoryPlan = { ...rest, ...(index && { index: { ...index, file } }) };
    const journaled: Journaled = { root, plan: kept, files: changes.map(writtenFile) };
    const options = { flag: "wx", mode: 0o600, flush: true };
    await writeFile(path.join(own, PLAN), JSON.stringify(journaled), options);
    return {
        plan: kept,
        async close() {
            await rm(own, { recursive: true, force: true });
            endApply(id);
        },
    };
}

/** Resolves to whether nothing is missing. */
type Complete = (root: string, plan: RepositoryPlan, isWritten: boolean) => Promise<boolean>;

/** The repositories that killed processes were taking something over into. */
interface RecoveredGitChanges {
    readonly completed: readonly string[];
    /** Somebody changed files or branches meanwhile. */
    readonly incomplete: readonly string[];
}

/**
 * Completes what killed processes began, where the files were written. Interrupted applies must have
 * been recovered before.
 */
export async function recoverGitChanges(
    { folder, inTurn }: ApplyJournal,
    complete: Complete
): Promise<RecoveredGitChanges> {
    const found = await readdir(folder).catch(() => []);
    if (found.length === 0) return { completed: [], incomplete: [] };
    // Two that dropped the same stash entry would drop the next one too.
    return inTurn(() => recoverInTurn(folder, complete));
}

async function recoverInTurn(folder: string, complete: Complete): Promise<RecoveredGitChanges> {
    const [completed, incomplete] = [new Set<string>(), new Set<string>()];
    for (const id of await readdir(folder).catch(() => [])) {
        const own = path.join(folder, id);
        if (!(await isAbandoned(id, own))) continue;
        const journaled = jsonIn(await readFile(path.join(own, PLAN), "utf8").catch(() => ""));
        // A torn plan was never acted on.
        if (isJournaled(journaled)) {
            const { root, plan } = journaled;
            const isWritten = await areWritten(journaled);
            const isDone = await complete(root, plan, isWritten).catch(() => false);
            const isUndone = !isWritten && (await areAsBefore(journaled));
            if (!isUndone) (isDone ? completed : incomplete).add(root);
        }
        await rm(own, { recursive: true, force: true });
    }
    return { completed: [...completed], incomplete: [...incomplete] };
}

function writtenFile(change: FileChange): WrittenFile {
    const { path: place, realPath = place, after, beforeHash, mode } = change;
    const hash = after && sha256(after);
    const before = { type: typeBefore(change), hash: beforeHash };
    return { path: realPath, type: typeAfter(change), hash, mode, before };
}

async function areWritten({ root, files }: Journaled): Promise<boolean> {
    for (const file of files) if (!(await isThere(root, file.path, file))) return false;
    return true;
}

/** The interrupted apply was taken back. */
async function areAsBefore({ root, files }: Journaled): Promise<boolean> {
    for (const { path: place, before } of files) {
        if (!(await isThere(root, place, before))) return false;
    }
    return true;
}

async function isThere(root: string, place: string, { type, hash, mode }: FileState) {
    const found = await readVersion(path.join(root, place), place, type).catch(() => null);
    if ((found?.hash ?? null) !== hash) return false;
    return !found || mode === undefined || (found.stats.mode & 0o777) === mode;
}

function isJournaled(value: unknown): value is Journaled {
    if (!isFields(value) || typeof value.root !== "string" || !isFields(value.plan)) return false;
    const { plan, files } = value;
    const areLists = [plan.moves, plan.files].every(Array.isArray) && Array.isArray(files);
    return areLists && files.every((file) => isFields(file) && isFields(file.before));
}
