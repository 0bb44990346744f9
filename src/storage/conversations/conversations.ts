import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { groupBy } from "../../base/group-by.js";
import { sumUsd } from "../../base/money.js";
import { isExpectedError, NorthError } from "../../base/north-error.js";
import type { Journal } from "../../core/conversation/conversation-log.js";
import { type ForkedFrom, type JournalRecord, LOG_VERSION } from "../../plugin/records.js";
import { projectHash } from "../files/directories.js";
import { type HeldLock, holdLock, lockHolder, sweepLocks } from "../files/file-lock.js";
import { removeUnnamedObjects } from "../files/object-sweep.js";
import { stagingFolder } from "../files/staging.js";
import { asWriteError, readOr } from "../files/storage-error.js";
import { type ListOptions, LOG_NAME, readIndex } from "./conversation-index.js";
import type { ConversationSummary } from "./conversation-summary.js";
import type { ByteRange } from "./journal-lines.js";
import { cutAfter, readWithFork } from "./fork.js";
import { forgetKeys } from "./keyed-runs.js";
import { type JournalContent, onlyWarnings, openJournal } from "./open-journal.js";

interface ConversationStart extends Pick<
    ConversationSummary,
    "id" | "root" | "provider" | "model" | "nested"
> {
    /** Milliseconds since 1970; default now. */
    readonly at?: number;
    readonly forkedFrom?: ForkedFrom;
}

export function createConversationStore(dataFolder: string): ConversationStore {
    return new ConversationStore(dataFolder);
}

/** This user's conversations across all projects. */
export class ConversationStore {
    private readonly folder: string;

    constructor(private readonly dataFolder: string) {
        this.folder = path.join(dataFolder, "conversations");
    }

    /** Returns six hex digits that no conversation uses yet. */
    newId(): string {
        for (;;) {
            const id = randomBytes(3).toString("hex");
            if (!existsSync(this.logFile(id))) return id;
        }
    }

    /** Whether there is a log of this id. */
    has(id: string): boolean {
        return isId(id) && existsSync(this.logFile(id));
    }

    /** Creates a log and locks it for this process until the journal is closed. */
    start(start: ConversationStart) {
        return startLog(this.logFile(start.id), start);
    }

    /**
     * Reopens a log and locks it until the journal is closed, so open before reading. Rejects with
     * `no-such-conversation` or `conversation-in-use`.
     */
    async open(id: string): Promise<Journal> {
        const file = await this.existing(id);
        return lockedJournal(file, await holdConversation(file, id), { create: false });
    }

    /** Rejects with `no-such-conversation` or `log-too-new`. */
    async read(id: string, options?: Pick<ByteRange, "skip">): Promise<JournalContent> {
        await this.existing(id);
        return readWithFork(this.logFile, id, options);
    }

    /** Like `read`, for a reader of many logs: one that cannot be read costs only a warning. */
    async readAmong(id: string, options?: Pick<ByteRange, "skip">): Promise<JournalContent> {
        return this.read(id, options).catch((error: unknown) => {
            if (!isExpectedError(error)) throw error;
            return onlyWarnings([error.message]);
        });
    }

    /** Returns the log up to `turns` turns, or all of it. Rejects with `no-such-turn`. */
    async cut(id: string, turns?: number): Promise<ForkedFrom> {
        await this.existing(id);
        return cutAfter(this.logFile, id, turns);
    }

    /** Returns the ids of conversations written to since `at`, in milliseconds since 1970. */
    async changedSince(at: number): Promise<readonly string[]> {
        const modifiedAt = (id: string) =>
            statSync(this.logFile(id), { throwIfNoEntry: false })?.mtimeMs ?? 0;
        return (await this.ids()).filter((id) => modifiedAt(id) >= at);
    }

    /** Conversations open in a live process, with it and since when (see `lockHolder`). */
    async held() {
        const held: { id: string; process: number; since: number }[] = [];
        for (const name of await this.names()) {
            const id = /^([0-9a-f]{6})\.holder$/.exec(name)?.[1];
            const holder = id && (await lockHolder(path.join(this.folder, name)));
            if (id && holder && existsSync(this.logFile(id))) held.push({ id, ...holder });
        }
        return held;
    }

    /**
     * Newest first, with the costs of their nested runs, which are not listed. Rejects with the
     * signal's reason if aborted.
     */
    async list(options?: ListOptions): Promise<readonly ConversationSummary[]> {
        const all = await readIndex(this.folder, options);
        const runs = groupBy(all, ({ nested }) => nested?.parent);
        return all
            .filter(({ nested }) => !nested)
            .map((summary) => withRuns(summary, runs.get(summary.id)))
            .sort((one, other) => other.updatedAt - one.updatedAt);
    }

    /** Nested runs of one conversation, or of all, oldest first. */
    async nestedRuns(parent?: string): Promise<readonly ConversationSummary[]> {
        return (await readIndex(this.folder))
            .filter(({ nested }) => nested && (parent === undefined || nested.parent === parent))
            .sort((one, other) => one.startedAt - other.startedAt);
    }

    /**
     * Also removes its nested runs, and the file contents kept for undo unless another conversation
     * needs them. Rejects with `no-such-conversation`, `conversation-in-use` or
     * `conversation-has-forks`; with `contents-kept` if only those contents are left.
     */
    async remove(id: string): Promise<void> {
        const { dataFolder } = this;
        const file = await this.existing(id);
        await this.refuseIfForked(id);
        const nested = await this.nestedRuns(id);
        const hold = await holdConversation(file, id);
        try {
            await rm(file, { force: true });
            for (const run of nested) await rm(this.logFile(run.id), { force: true });
            await rm(stagingFolder(dataFolder, id), { recursive: true, force: true });
            await forgetKeys(dataFolder, id);
        } catch (error) {
            throw asWriteError(error, file);
        } finally {
            hold.release();
        }
        await readIndex(this.folder);
        await removeUnnamedObjects(dataFolder).catch((error: unknown) => {
            if (!isExpectedError(error)) throw error;
            const sentence = `Conversation ${id} is deleted, but not the contents that it stored.`;
            const steps = [error.message, ...error.nextSteps];
            throw new NorthError("contents-kept", sentence, steps, { cause: error });
        });
    }

    private readonly logFile = (id: string): string => path.join(this.folder, `${id}.jsonl`);

    private async existing(id: string): Promise<string> {
        // Validate before using it in a path.
        if (this.has(id)) return this.logFile(id);
        const near = (await this.ids())
            // A dangling link shows up as a name, but is not a conversation.
            .filter((other) => other !== id && isNear(id.toLowerCase(), other))
            .slice(0, 5);
        throw new NorthError("no-such-conversation", `There is no conversation ${id}.`, [
            ...(near.length > 0 ? [`Did you mean ${near.join(" or ")}?`] : []),
            "`north conversations` lists them.",
        ]);
    }

    private async ids(): Promise<string[]> {
        return (await this.names()).flatMap((name) => LOG_NAME.exec(name)?.[1] ?? []);
    }

    private names(): Promise<string[]> {
        return readOr(readdir(this.folder), this.folder, []);
    }

    /** Forks need the log they start from. */
    private async refuseIfForked(id: string): Promise<void> {
        const forks = (await readIndex(this.folder)).filter(({ forkOf }) => forkOf === id);
        if (forks.length === 0) return;
        const ids = forks.map((fork) => fork.id).join(", ");
        throw new NorthError("conversation-has-forks", `${id} has forks: ${ids}.`, [
            "Delete its forks first.",
        ]);
    }
}

/** `started`: the first record, already in the log. */
async function startLog(file: string, start: ConversationStart) {
    const { id, root, provider, model, nested, at = Date.now(), forkedFrom } = start;
    if (!isId(id)) throw new TypeError(`Not a conversation ID: ${id}`);
    const started: JournalRecord = {
        type: "conversation_started",
        version: LOG_VERSION,
        id,
        root,
        rootHash: projectHash(root),
        provider,
        model,
        ...(nested && { nested }),
        at,
        ...(forkedFrom && { forkedFrom }),
    };
    const journal = await lockedJournal(file, await holdConversation(file, id), { create: true });
    try {
        journal.append(started);
        return { journal, started };
    } catch (error) {
        await journal.close();
        // Nothing has been said yet, and an empty log would only be clutter.
        await rm(file, { force: true });
        throw error;
    }
}

/** A journal that releases the lock when it is closed. */
async function lockedJournal(
    file: string,
    hold: HeldLock,
    options: Parameters<typeof openJournal>[1]
): Promise<Journal> {
    try {
        const journal = openJournal(file, options);
        return {
            ...journal,
            async close() {
                await journal.close();
                hold.release();
                // Stale locks of killed runs that nobody resumes.
                await sweepLocks(path.dirname(file)).catch(() => {});
            },
        };
    } catch (error) {
        hold.release();
        throw error;
    }
}

function isId(id: string): boolean {
    return /^[0-9a-f]{6}$/.test(id);
}

/** Matches a prefix of an id, or an id with up to two wrong digits. */
function isNear(given: string, id: string): boolean {
    if (given.length >= 2 && id.startsWith(given)) return true;
    if (given.length !== id.length) return false;
    return [...id].filter((digit, position) => digit !== given[position]).length <= 2;
}

/**
 * Locks the conversation so that only this process appends to it. Rejects with
 * `conversation-in-use` while any live process, including this one, has it open.
 */
async function holdConversation(logFile: string, id: string): Promise<HeldLock> {
    const claim = await holdLock(logFile.replace(/\.jsonl$/, ".holder"));
    if (claim.kind === "held") return claim;
    const isOwn = claim.process === process.pid;
    const where = isOwn ? "this North" : `another North (process ${claim.process})`;
    throw new NorthError("conversation-in-use", `Conversation ${id} is open in ${where}.`, [
        `Close it there first; \`north resume ${id} --fork\` continues in a copy.`,
    ]);
}

function withRuns(
    summary: ConversationSummary,
    runs: readonly ConversationSummary[] = []
): ConversationSummary {
    const { firstWords, forkOf } = summary;
    const all = [summary, ...runs];
    return {
        ...summary,
        firstWords: firstWords || (forkOf === undefined ? "" : `fork of ${forkOf}`),
        costUsd: sumUsd(all.map(({ costUsd }) => costUsd)),
        unpricedRequests: all.reduce((sum, { unpricedRequests }) => sum + unpricedRequests, 0),
    };
}
