import { appendFile, mkdir, readdir, readFile, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isFields, jsonIn } from "../../base/fields.js";
import { asApplyError } from "./apply-errors.js";
import { isAbandoned, ownerOf } from "./apply-owner.js";
import type { ApplyPlan, PlannedFile } from "./plan.js";
import { cleanUpApply, undoApply } from "./undo.js";

export interface RecoveryReport {
    readonly settled: number;
    /** Files changed by someone else since; left as they are. */
    readonly conflicts: readonly string[];
}

/**
 * The journal of applies, in a folder outside the repository shared by every North on this machine.
 * It makes an apply undoable after a kill halfway through.
 */
export interface ApplyJournal {
    readonly folder: string;
    /** Serializes work on this machine, so that two processes never both see "unchanged". */
    inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** The plan of one apply, written before anything in the repository is touched. */
export interface JournalEntry {
    /** The journal file; absent without a journal. */
    readonly path?: string;
    /** Marks the apply as done, whatever happens next. */
    commit(): Promise<void>;
    close(): Promise<void>;
}

const SUFFIX = ".jsonl";
export interface Durability {
    /** Whether each file is synced as it is written. */
    readonly durable: boolean;
}

const COMMITTED = '{"committed":true}';

/**
 * Writes one line with the plan, and another when the apply is complete. If not `durable`, the
 * caller must sync the plan before it replaces the first file.
 */
export async function openJournal(
    folder: string,
    plan: ApplyPlan,
    options: Durability
): Promise<JournalEntry> {
    const path = join(folder, plan.id + SUFFIX);
    const append = async (line: string, flush: boolean) => {
        try {
            await mkdir(folder, { recursive: true, mode: 0o700 });
            await appendFile(path, `${line}\n`, { mode: 0o600, flush });
        } catch (error) {
            throw asApplyError(error, path);
        }
    };
    await append(JSON.stringify(plan), options.durable);
    return { path, commit: () => append(COMMITTED, true), close: () => unlink(path) };
}

/** Rolls back incomplete applies of killed processes, and cleans up after complete ones. */
export async function recoverInterruptedApply(journal: ApplyJournal): Promise<RecoveryReport> {
    if ((await abandoned(journal.folder)).length === 0) return { settled: 0, conflicts: [] };
    return journal.inTurn(() => recoverInTurn(journal.folder));
}

/** Like `recoverInterruptedApply`, for a caller already in `inTurn`. */
export async function recoverInTurn(journalFolder: string): Promise<RecoveryReport> {
    const conflicts: string[] = [];
    let settled = 0;
    for (const path of await abandoned(journalFolder)) {
        // An apply that cannot be recovered now (a read-only folder) must not block everything
        // else; leave it for next time.
        const found = await settle(path).catch(() => undefined);
        if (found !== undefined) {
            settled += 1;
            conflicts.push(...found);
        }
    }
    return { settled, conflicts };
}

async function settle(path: string): Promise<string[]> {
    const [first, second] = (await readFile(path, "utf8")).split("\n");
    const plan = jsonIn(first ?? "");
    let conflicts: string[] = [];
    // A torn plan was never acted on: it is fully on disk before the first step.
    if (isPlan(plan)) {
        if (second === COMMITTED) await cleanUpApply(plan);
        else conflicts = await undoApply(plan);
    }
    await unlink(path);
    return conflicts;
}

async function abandoned(journalFolder: string): Promise<string[]> {
    const names = await readdir(journalFolder).catch(() => []);
    const paths: string[] = [];
    for (const name of names.filter((each) => each.endsWith(SUFFIX))) {
        const path = join(journalFolder, name);
        if (await isAbandoned(name.slice(0, -SUFFIX.length), path)) paths.push(path);
    }
    return paths;
}

function isPlan(value: unknown): value is ApplyPlan {
    return (
        isFields(value) &&
        Array.isArray(value.files) &&
        value.files.every(isPlannedFile) &&
        Array.isArray(value.newFolders) &&
        value.newFolders.every((folder) => typeof folder === "string")
    );
}

/** Security: a forged journal must not make us remove anything but our own temporary names. */
function isPlannedFile(value: unknown): value is PlannedFile {
    if (!isFields(value)) return false;
    const { path, folder, name, staged, kept } = value;
    return (
        [path, folder, name].every((text) => typeof text === "string") &&
        [staged, kept].every((text) => typeof text === "string" && ownerOf(text) !== undefined) &&
        dirname(String(name)) === "."
    );
}
