import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { groupBy } from "../../base/group-by.js";
import { mayRunPrograms, requireGit, runGit } from "../../base/git.js";
import { gitDirectories } from "../../base/git-directory.js";
import { indexVersion, LIST_INDEX } from "../../base/index-entries.js";
import { NorthError } from "../../base/north-error.js";
import {
    ONLY_FILES_WRITTEN,
    type ReferenceMove,
    type RepositoryPlan,
} from "../../base/repository-plan.js";
import { messageOf } from "../../base/system-error.js";
import type { FileChange } from "../../plugin/index.js";
import type { ApplyJournal } from "./journal.js";
import { journalGitChanges } from "./git-changes-journal.js";
import { type IndexLock, lockIndex, lockOf, removeLock } from "./index-lock.js";

/** Up to so many objects are stored one by one, as `git fetch` does. */
const MAX_LOOSE = 100;
const STASH = "refs/stash";
const VARIABLES = { GIT_NO_REPLACE_OBJECTS: "1" };

/** The files that a command changed beside git's folder, and what writes them. */
interface AccompanyingFiles<Outcome> {
    readonly changes: readonly FileChange[];
    write(): Promise<Outcome>;
}

/**
 * Writes a contained command's files, then does in a repository what the command did in its own
 * view of it, if they were written; no hook runs. Rejects with `repository-changed` if something is
 * not as the command found it: then nothing changes; with `only-files-written` if git failed after
 * they were. After a kill `recoverGitChanges` completes it
 * from the journal.
 */
export async function applyGitChanges<Outcome extends { readonly kind: string }>(
    root: string,
    plan: RepositoryPlan,
    journal: ApplyJournal,
    beside: AccompanyingFiles<Outcome>
): Promise<Outcome> {
    // Of two that found the same state, only one may write its files.
    return journal.inTurn(() => takeInTurn(root, plan, journal.folder, beside));
}

async function takeInTurn<Outcome extends { readonly kind: string }>(
    root: string,
    plan: RepositoryPlan,
    folder: string,
    { changes, write }: AccompanyingFiles<Outcome>
): Promise<Outcome> {
    const application = await GitApplication.open(root, plan);
    const entry = await journalGitChanges(folder, { root, plan, changes });
    try {
        return await application.holdingIndex(async (lock) => {
            const obstacle = await application.obstacle();
            if (obstacle !== undefined) {
                throw leftAsItIs(`${obstacle} since the command ran`, "Run the command again.");
            }
            const outcome = await write();
            if (outcome.kind !== "applied") return outcome;
            await application.carryOut(entry.plan, lock).catch((error: unknown) => {
                throw changes.length > 0 ? onlyWritten(error) : error;
            });
            return outcome;
        });
    } finally {
        await entry.close();
    }
}

function leftAsItIs(why: string, next: string): NorthError {
    const message = `The repository was left as it is: ${why}.`;
    return new NorthError("repository-changed", message, [next]);
}

function onlyWritten(cause: unknown): NorthError {
    const message = `The files were written, but not all was done in git. ${messageOf(cause)}`;
    const next = "`git status` and `git log` show what is left to do.";
    return new NorthError(ONLY_FILES_WRITTEN, message, [next], { cause });
}

/** Why a plan cannot be carried out now; `undefined` if it can. Adds objects at most. */
export async function obstacleTo(root: string, plan: RepositoryPlan): Promise<string | undefined> {
    return (await GitApplication.open(root, plan)).obstacle();
}

/**
 * Completes what a killed process began, if its files were written. Steps that were done, or that are
 * no longer possible, are left; resolves to whether there were none of the latter.
 */
export async function completeGitChanges(
    root: string,
    plan: RepositoryPlan,
    isWritten: boolean
): Promise<boolean> {
    const application = await GitApplication.open(root, plan);
    application.removeLock(plan);
    if (!isWritten || application.isElsewhere()) return false;
    await application.holdingIndex((lock) => application.carryOut(plan, lock));
    return application.isDone();
}

class GitApplication {
    private constructor(
        private readonly root: string,
        private readonly plan: RepositoryPlan,
        /** This work tree's folder of git, and the one that all work trees share. */
        private readonly folders: { readonly own: string; readonly common: string }
    ) {}

    static async open(root: string, plan: RepositoryPlan): Promise<GitApplication> {
        const folders = await gitDirectories(root);
        if (!folders) throw new NorthError("git-failed", `${root} is not a git repository.`);
        return new GitApplication(root, plan, folders);
    }

    async obstacle(): Promise<string | undefined> {
        const { moves, remoteHeads = [], head, stash, index, files } = this.plan;
        await this.storeObjects();
        const isMoved = head && this.headNow() !== head.before;
        if (isMoved || this.isElsewhere()) return "HEAD moved";
        if (stash && this.stashLog() !== stash.log) return "the stash changed";
        if (index && (await this.indexNow()) !== index.before) return "the index changed";
        for (const { name } of remoteHeads) {
            if ((await this.leadsTo(name)) !== undefined) return `${name} appeared`;
        }
        const changed = files.find(({ name, before }) => this.read(this.own(name)) !== before);
        if (changed) return `${changed.name} changed`;
        if (moves.length === 0) return undefined;
        const attempt = ["start", ...moves.map(instructionFor), "prepare", "abort"];
        const input = lines(attempt);
        const options = { variables: VARIABLES, input };
        const output = await runGit(this.root, ["update-ref", "--stdin", "-z"], options);
        return output ? undefined : "a branch or tag moved";
    }

    /** Lets git status see that these files are what is staged; they have been written since. */
    private async refreshIndex({ index }: Pick<RepositoryPlan, "index">): Promise<void> {
        if (!index || (await mayRunPrograms(this.root))) return;
        const variables = { ...VARIABLES, GIT_INDEX_FILE: index.file };
        await runGit(this.root, ["update-index", "-q", "--refresh"], { variables });
    }

    /** Whether somebody has moved HEAD away from what the command worked on. */
    isElsewhere(): boolean {
        const { on, head } = this.plan;
        return on !== undefined && ![on, head?.after].includes(this.headNow());
    }

    async carryOut(
        { index }: Pick<RepositoryPlan, "index">,
        lock: IndexLock | undefined
    ): Promise<void> {
        await this.refreshIndex({ index });
        const isStaging = index !== undefined && (await this.indexNow()) === index.before;
        await this.moveReferences();
        await this.addRemoteHeads();
        await this.moveHead();
        await this.moveStash();
        this.writeFiles();
        if (isStaging) lock?.commit(index.file);
    }

    /** Only if the index changes. */
    async holdingIndex<Result>(
        work: (lock: IndexLock | undefined) => Promise<Result>
    ): Promise<Result> {
        if (!this.plan.index) return work(undefined);
        const index = this.own("index");
        const lock = lockIndex(index);
        if (!lock) {
            const next = `If none is running, remove ${lockOf(index)}.`;
            throw leftAsItIs("another git command holds its index", next);
        }
        try {
            return await work(lock);
        } finally {
            lock.release();
        }
    }

    removeLock({ index }: Pick<RepositoryPlan, "index">): void {
        if (index) removeLock(this.own("index"), index.file);
    }

    async isDone(): Promise<boolean> {
        const { moves, remoteHeads = [], head, files } = this.plan;
        for (const { name, after } of remoteHeads) {
            if ((await this.leadsTo(name)) !== after) return false;
        }
        const known = await this.references();
        return (
            moves.every(({ name, after }) => known.get(name) === after) &&
            (!head || this.headNow() === head.after) &&
            files.every(({ name, after }) => this.read(this.own(name)) === after)
        );
    }

    /** New objects change nothing until something names them. */
    private async storeObjects(): Promise<void> {
        const { pack } = this.plan;
        if (pack === undefined) return;
        const input = readFileSync(pack);
        // The header of a pack: `PACK`, its version, and the number of objects.
        const isSmall = input.readUInt32BE(8) <= MAX_LOOSE;
        const store = isSmall ? ["unpack-objects", "-q"] : ["index-pack", "--stdin"];
        await requireGit(this.root, [...store, "--strict"], { variables: VARIABLES, input });
    }

    /** One transaction for all moves with the same message, which are nearly always all. */
    private async moveReferences(): Promise<void> {
        const known = await this.references();
        const left = this.plan.moves.filter(({ name, after }) => known.get(name) !== after);
        for (const [message, moves] of groupBy(left, (move) => move.message)) {
            await this.update(moves.map(instructionFor), message);
        }
    }

    private async addRemoteHeads(): Promise<void> {
        for (const { name, after } of this.plan.remoteHeads ?? []) {
            if ((await this.leadsTo(name)) === undefined) {
                await this.git(["symbolic-ref", name, after]);
            }
        }
    }

    /** Where a symbolic reference leads, if there is one. */
    private async leadsTo(name: string): Promise<string | undefined> {
        const output = await runGit(this.root, ["symbolic-ref", "--quiet", name]);
        return output?.stdout.toString().trim();
    }

    private async moveHead(): Promise<void> {
        const { head } = this.plan;
        if (!head || this.headNow() !== head.before) return;
        if (!head.after.startsWith("refs/")) {
            return this.update(["option no-deref", `update HEAD\0${head.after}\0`], head.message);
        }
        await this.git(["symbolic-ref", ...reasonOf(head.message), "HEAD", head.after]);
    }

    private async moveStash(): Promise<void> {
        const { stash } = this.plan;
        if (!stash) return;
        for (const commandLine of stepsFrom(this.stashLog(), stash)) await this.git(commandLine);
    }

    private writeFiles(): void {
        for (const { name, after } of this.plan.files) {
            const place = this.own(name);
            if (after === undefined) {
                rmSync(place, { force: true });
                continue;
            }
            // Never through a link.
            rmSync(`${place}.lock`, { force: true });
            writeFileSync(`${place}.lock`, after, { encoding: "latin1", flag: "wx" });
            renameSync(`${place}.lock`, place);
        }
    }

    private headNow(): string {
        return (this.read(this.own("HEAD"), "utf8") ?? "").trim().replace(/^ref: /, "");
    }

    private stashLog(): string {
        return this.read(path.join(this.folders.common, "logs", STASH)) ?? "";
    }

    private async indexNow(): Promise<string | undefined> {
        const output = await runGit(this.root, LIST_INDEX);
        return output?.complete ? indexVersion(output.stdout.toString("latin1")) : undefined;
    }

    private async references(): Promise<ReadonlyMap<string, string>> {
        const listing = await this.git(["for-each-ref", "--format=%(objectname) %(refname)"]);
        return new Map(
            listing.split("\n").map((line): [string, string] => {
                const space = line.indexOf(" ");
                return [line.slice(space + 1), line.slice(0, space)];
            })
        );
    }

    private own(name: string): string {
        return path.join(this.folders.own, name);
    }

    private read(place: string, encoding: "latin1" | "utf8" = "latin1"): string | undefined {
        return existsSync(place) ? readFileSync(place, encoding) : undefined;
    }

    private git(commandLine: readonly string[]): Promise<string> {
        return requireGit(this.root, commandLine, { variables: VARIABLES });
    }

    private async update(instructions: readonly string[], message: string): Promise<void> {
        const command = ["update-ref", ...reasonOf(message), "--stdin", "-z"];
        // If this process ends halfway through the input, so does the transaction, with nothing done.
        const input = lines(["start", ...instructions, "commit"]);
        await requireGit(this.root, command, { variables: VARIABLES, input });
    }
}

/** For `update-ref --stdin -z`: only from the value that the command found. */
function instructionFor({ name, before, after }: ReferenceMove): string {
    if (after === undefined) return `delete ${name}\0${before ?? ""}`;
    return `update ${name}\0${after}\0${before ?? "0".repeat(after.length)}`;
}

/** Git's commands that are still missing: one step at a time, it may have been killed after any. */
function stepsFrom(log: string, stash: NonNullable<RepositoryPlan["stash"]>) {
    const steps: (readonly string[])[] = [];
    let ids = stashedIds(stash.log);
    const states = [ids];
    const add = (commandLine: readonly string[], after: readonly string[]) => {
        steps.push(commandLine);
        states.push((ids = after));
    };
    if (ids.length > 0 && stash.dropped.length === ids.length) {
        add(["update-ref", "-d", STASH], []);
    } else {
        for (const number of stash.dropped) {
            const entry = `${STASH}@{${number}}`;
            const command = ["reflog", "delete", "--updateref", "--rewrite", entry];
            add(command, ids.toSpliced(ids.length - 1 - number, 1));
        }
    }
    for (const { id, message } of stash.pushed) {
        add(["update-ref", "--create-reflog", ...reasonOf(message), STASH, id], [...ids, id]);
    }
    const now = stashedIds(log).join();
    const done = states.findIndex((state) => state.join() === now);
    return done < 0 ? [] : steps.slice(done);
}

/** Oldest first. */
function stashedIds(log: string): readonly string[] {
    return log.split("\n").flatMap((line) => line.split(" ", 2)[1] ?? []);
}

function lines(instructions: readonly string[]): string {
    return instructions.map((each) => `${each}\0`).join("");
}

function reasonOf(message: string): readonly string[] {
    return message === "" ? [] : ["-m", message];
}
