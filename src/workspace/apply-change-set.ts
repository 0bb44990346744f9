import { realpath } from "node:fs/promises";
import type { ApplyOutcome, ChangeApplier, ChangeSet } from "../plugin/index.js";
import { NorthError } from "../plugin/north-error.js";
import { commitApply } from "./apply-commit.js";
import { asApplyError } from "./apply-errors.js";
import { HeldFolders } from "./apply-folder.js";
import {
    openJournal,
    recoverLocked,
    withJournalLock,
    type JournalEntry,
    type RecoveryReport,
} from "./apply-journal.js";
import { beginApply, endApply } from "./apply-owner.js";
import { planApply, type ApplyPlan } from "./apply-plan.js";
import { stageFile, sweepStaged, type FileModes } from "./apply-stage.js";
import { cleanUpApply, undoApply } from "./apply-undo.js";
import { readVersion } from "./apply-version.js";

/** Where to write, and where to note what is being written. */
export interface ChangeApplierOptions {
    /** The repository root. */
    readonly root: string;
    /**
     * A folder outside the repository, shared by all of North on this machine, that makes a kill in
     * the middle of several files undoable and lets several processes take turns. Without it each
     * single file is still replaced atomically.
     */
    readonly journalFolder?: string;
    /** Told when the apply of a killed process was found and settled before one of this process. */
    readonly onRecovery?: (report: RecoveryReport) => void;
}

/** The one way in which North writes into a repository. */
export function createChangeApplier(options: ChangeApplierOptions): ChangeApplier {
    let previous: Promise<unknown> = Promise.resolve();
    return {
        apply(changeSet) {
            const outcome = previous.then(() => applyInTurn(options, changeSet));
            previous = outcome.catch(() => undefined);
            return outcome;
        },
    };
}

async function applyInTurn(
    options: ChangeApplierOptions,
    changeSet: ChangeSet
): Promise<ApplyOutcome> {
    const { journalFolder } = options;
    try {
        if (journalFolder === undefined) {
            return await applyOnce(options, changeSet);
        }
        return await withJournalLock(journalFolder, async () => {
            const report = await recoverLocked(journalFolder);
            if (report.settled > 0) {
                options.onRecovery?.(report);
            }
            return applyOnce(options, changeSet);
        });
    } catch (error) {
        throw asApplyError(error, changeSet.changes.map(({ path }) => path).join(", "));
    }
}

async function applyOnce(
    options: ChangeApplierOptions,
    changeSet: ChangeSet
): Promise<ApplyOutcome> {
    const id = beginApply();
    const folders = new HeldFolders();
    try {
        const plan = await planApply(id, await realpath(options.root), changeSet);
        const stale = await staleFiles(plan, folders);
        return stale.length > 0
            ? { kind: "stale", paths: stale }
            : await carryOut(plan, changeSet, folders, options.journalFolder);
    } finally {
        endApply(id);
        await folders.close();
    }
}

/** Before anything is touched: are these still the files that were reviewed? */
async function staleFiles(plan: ApplyPlan, folders: HeldFolders): Promise<string[]> {
    const stale: string[] = [];
    for (const file of plan.files) {
        const current = plan.newFolders.includes(file.folder)
            ? null
            : await readVersion((await folders.hold(file.folder)).at(file.name), file.path);
        if ((current?.hash ?? null) !== file.beforeHash) {
            stale.push(file.path);
        }
    }
    return stale;
}

async function carryOut(
    plan: ApplyPlan,
    changeSet: ChangeSet,
    folders: HeldFolders,
    journalFolder: string | undefined
): Promise<ApplyOutcome> {
    const journal = await beginJournal(plan, folders, journalFolder);
    let stale: readonly string[];
    let modes: readonly FileModes[];
    try {
        modes = await stageAll(plan, changeSet, folders);
        stale = await commitApply(plan, folders);
        if (stale.length === 0) {
            await Promise.all(folders.all().map((folder) => folder.sync()));
            await journal.commit();
        }
    } catch (error) {
        await takeBack(plan, folders, journal);
        throw error;
    }
    if (stale.length > 0) {
        await takeBack(plan, folders, journal);
        return { kind: "stale", paths: stale };
    }
    // The change is made; what cannot be tidied up now, the journal has for later.
    await cleanUpApply(plan, folders)
        .then(journal.close)
        .catch(() => undefined);
    return {
        kind: "applied",
        files: plan.files.map(({ path, afterHash: hash }, index) => ({
            path,
            hash,
            ...modes[index],
        })),
    };
}

async function takeBack(
    plan: ApplyPlan,
    folders: HeldFolders,
    journal: JournalEntry
): Promise<void> {
    try {
        await undoApply(plan, folders);
        await journal.close();
    } catch (error) {
        const paths = plan.files.map(({ path }) => path).join(", ");
        throw new NorthError(
            "not-taken-back",
            `A change failed and could not be taken back completely: ${paths}.`,
            ["Look at these files. North tries again when it next writes or starts."],
            { cause: error }
        );
    }
}

async function beginJournal(
    plan: ApplyPlan,
    folders: HeldFolders,
    journalFolder: string | undefined
): Promise<JournalEntry> {
    if (journalFolder !== undefined) {
        return openJournal(journalFolder, plan);
    }
    await Promise.all(folders.all().map((folder) => sweepStaged(folder.at("."))));
    return { commit: () => Promise.resolve(), close: () => Promise.resolve() };
}

async function stageAll(
    plan: ApplyPlan,
    changeSet: ChangeSet,
    folders: HeldFolders
): Promise<readonly FileModes[]> {
    for (const folder of plan.newFolders) {
        await folders.make(folder);
    }
    const modes: FileModes[] = [];
    for (const [index, file] of plan.files.entries()) {
        const change = changeSet.changes[index];
        if (change !== undefined) {
            modes.push(await stageFile(file, change, await folders.hold(file.folder)));
        }
    }
    return modes;
}
