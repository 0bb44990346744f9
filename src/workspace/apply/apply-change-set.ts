import type { ChangedFile, ChangeSet } from "../../plugin/index.js";
import { typeBefore } from "../../plugin/change-set.js";
import { NorthError } from "../../base/north-error.js";
import { shouldSyncFileSystems, syncFile, syncFileSystems } from "../../base/sync-file-systems.js";
import { oneAtATime } from "../../base/waiting.js";
import { commitApply } from "./commit.js";
import { asApplyError } from "./apply-errors.js";
import { OpenFolders } from "./folder.js";
import {
    openJournal,
    recoverInTurn,
    type ApplyJournal,
    type JournalEntry,
    type RecoveryReport,
    type Durability,
} from "./journal.js";
import { beginApply, endApply } from "./apply-owner.js";
import { planApply, realPathOf, type ApplyPlan } from "./plan.js";
import { applyRoot, type ApplyRootOptions, ChangeResolver } from "./resolve-changes.js";
import { stagedLocation, stageFolder } from "./swap-folders.js";
import { stageFile, sweepStaged, type FileModes } from "./stage.js";
import { cleanUpApply, undoApply } from "./undo.js";
import { readVersion } from "./version.js";

interface ChangeApplierOptions extends ApplyRootOptions {
    /** Without it each single file is still replaced atomically. */
    readonly journal?: ApplyJournal;
    /** Called after an apply left by a killed process was recovered, before the next one starts. */
    readonly onRecovery?: (report: RecoveryReport) => void;
}

type Announce = (files: readonly ChangedFile[]) => Promise<void> | void;

/** The result of an apply; `stale` lists files that changed since the review. */
export type ApplyResult =
    | { readonly kind: "applied"; readonly files: readonly ChangedFile[] }
    | { readonly kind: "stale"; readonly paths: readonly string[] };

/**
 * The only way North writes to a repository: all files of a change set or none. Each file is
 * checked against `beforeHash` and staged before the first is replaced; if a later one fails, the
 * replaced ones are restored. `announce` gets what is about to be written, and may throw to prevent
 * it. Rejects with `outside-repository`, `protected-path`, `not-a-file`, `disk-full` or
 * `not-writable`.
 */
export function createChangeApplier(options: ChangeApplierOptions) {
    const inTurn = oneAtATime();
    const resolver = new ChangeResolver(options);
    const { journal } = options;
    const recoverAndApply = async (changeSet: ChangeSet, announce: Announce) => {
        if (journal === undefined) return applyOnce(options, changeSet, announce);
        return journal.inTurn(async () => {
            const report = await recoverInTurn(journal.folder);
            if (report.settled > 0) options.onRecovery?.(report);
            return applyOnce(options, changeSet, announce);
        });
    };
    return {
        /**
         * Sets `realPath` and `runsAs` of each change, for the review. Applying the result writes
         * nothing if a link leads elsewhere by then. With a view: where it would write there. Rejects
         * like `apply`.
         */
        resolve: resolver.resolve.bind(resolver),
        apply: (changeSet: ChangeSet, announce: Announce = () => {}): Promise<ApplyResult> =>
            inTurn(() => recoverAndApply(changeSet, announce)).catch((error: unknown) => {
                throw asApplyError(error, changeSet.changes.map(({ path }) => path).join(", "));
            }),
    };
}

async function applyOnce(
    options: ChangeApplierOptions,
    changeSet: ChangeSet,
    announce: Announce
): Promise<ApplyResult> {
    const id = await beginApply();
    const folders = new OpenFolders();
    try {
        const within = await applyRoot(options);
        const plan = await planApply(id, within, changeSet);
        const moved = movedFiles(within.root, plan, changeSet);
        const application = new Application(plan, changeSet, folders, options.journal?.folder);
        const stale = moved.length > 0 ? moved : await application.staleFiles();
        return stale.length > 0
            ? { kind: "stale", paths: stale }
            : await application.carryOut(announce);
    } finally {
        endApply(id);
        await folders.close();
    }
}

/** A link on the way to these leads elsewhere since the review. */
function movedFiles(root: string, { files }: ApplyPlan, { changes }: ChangeSet): string[] {
    return changes.flatMap(({ path, realPath }, index) => {
        const file = files[index];
        const isMoved = realPath !== undefined && file && realPathOf(root, file) !== realPath;
        return isMoved ? path : [];
    });
}

class Application {
    private readonly durability: Durability;

    constructor(
        private readonly plan: ApplyPlan,
        private readonly changeSet: ChangeSet,
        private readonly folders: OpenFolders,
        private readonly journalFolder: string | undefined
    ) {
        this.durability = { durable: !shouldSyncFileSystems(plan.files.length) };
    }

    /** Checks, before anything is touched, that these are still the files that were reviewed. */
    async staleFiles(): Promise<string[]> {
        const stale: string[] = [];
        for (const file of this.plan.files) {
            const isInNewFolder =
                this.plan.newFolders.includes(file.folder) ||
                (file.within !== undefined && file.beforeHash === null);
            const current = isInNewFolder
                ? null
                : await readVersion(
                      (await this.folders.open(file.folder)).at(file.name),
                      file.path,
                      typeBefore(file)
                  );
            if ((current?.hash ?? null) !== file.beforeHash) stale.push(file.path);
        }
        return stale;
    }

    async carryOut(announce: Announce): Promise<ApplyResult> {
        const { plan, folders } = this;
        const journal = await this.beginJournal();
        let stale: readonly string[];
        let files: readonly ChangedFile[];
        try {
            const modes = await this.stageAll();
            if (!this.durability.durable) await this.syncStaged(journal);
            files = plan.files.map((file, index) => ({
                path: file.path,
                ...(file.type && { type: file.type }),
                ...(file.typeBefore && { typeBefore: file.typeBefore }),
                beforeHash: file.beforeHash,
                afterHash: file.afterHash,
                ...modes[index],
                ...(file.isIgnored && { isIgnored: true as const }),
            }));
            await announce(files);
            stale = await commitApply(plan, folders);
            if (stale.length === 0) {
                await this.syncFolders();
                await journal.commit();
            }
        } catch (error) {
            await this.rollBack(journal);
            throw error;
        }
        if (stale.length > 0) {
            await this.rollBack(journal);
            return { kind: "stale", paths: stale };
        }
        // The change is done; if clean-up fails, the journal keeps it for later.
        await cleanUpApply(plan, folders)
            .then(journal.close)
            .catch(() => undefined);
        return { kind: "applied", files };
    }

    private async rollBack(journal: JournalEntry): Promise<void> {
        try {
            await undoApply(this.plan, this.folders);
            await journal.close();
        } catch (error) {
            const paths = this.plan.files.map(({ path }) => path).join(", ");
            throw new NorthError(
                "not-taken-back",
                `A change failed and could not be undone completely: ${paths}.`,
                ["Check these files. North tries again when it next writes or starts."],
                { cause: error }
            );
        }
    }

    private async beginJournal(): Promise<JournalEntry> {
        const { journalFolder, plan, durability } = this;
        if (journalFolder !== undefined) return openJournal(journalFolder, plan, durability);
        await Promise.all(this.folders.all().map((folder) => sweepStaged(folder.at("."))));
        return { commit: () => Promise.resolve(), close: () => Promise.resolve() };
    }

    private async stageAll(): Promise<readonly FileModes[]> {
        const { plan, folders, durability } = this;
        for (const folder of plan.newFolders) await folders.make(folder);
        const modes: FileModes[] = [];
        for (const [index, file] of plan.files.entries()) {
            const change = this.changeSet.changes[index];
            if (change === undefined) continue;
            const staged = stagedLocation(plan, file);
            await stageFolder(plan, file, folders);
            const folder = await folders.open(staged.folder);
            modes.push(
                await stageFile({ ...file, staged: staged.name }, change, folder, durability)
            );
        }
        return modes;
    }

    private async syncStaged({ path }: JournalEntry): Promise<void> {
        const { plan, folders } = this;
        const written = path === undefined ? [] : [path];
        if (await syncFileSystems([...written, ...folders.all().map(({ real }) => real)])) return;
        for (const file of plan.files) {
            if (file.type !== undefined || file.afterHash === null) continue;
            const staged = stagedLocation(plan, file);
            written.push((await folders.open(staged.folder)).at(staged.name));
        }
        for (const file of written) await syncFile(file);
    }

    private async syncFolders(): Promise<void> {
        const all = this.folders.all();
        const isBulk = shouldSyncFileSystems(all.length);
        if (isBulk && (await syncFileSystems(all.map(({ real }) => real)))) return;
        await Promise.all(all.map((folder) => folder.sync()));
    }
}
