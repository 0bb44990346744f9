import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import { ifAbsent } from "../../base/system-error.js";
import type { Journal } from "../../core/conversation/conversation-log.js";
import { type ForkedFrom, type JournalRecord, LOG_VERSION } from "../../plugin/records.js";
import { projectHash } from "../files/directories.js";
import { type HeldLock, holdLock, lockHolder, sweepLocks } from "../files/file-lock.js";
import { removeUnnamedObjects } from "../files/object-sweep.js";
import { stagingFolder } from "../files/staging.js";
import { asWriteError } from "../files/storage-error.js";
import { type ListOptions, LOG_NAME, readIndex } from "./conversation-index.js";
import type { ConversationSummary } from "./conversation-summary.js";
import type { ByteRange } from "./journal-lines.js";
import { cutAfter, readWithFork } from "./fork.js";
import { forgetKeys } from "./keyed-runs.js";
import { type JournalContent, openJournal } from "./open-journal.js";

interface HeldConversation {
    readonly id: string;
    readonly process: number;
    /** Milliseconds since 1970. */
    readonly since: number;
}

interface ConversationStart extends Pick<
    ConversationSummary,
    "id" | "root" | "provider" | "model" | "nested"
> {
    /** Milliseconds since 1970; default now. */
    readonly at?: number;
    readonly forkedFrom?: ForkedFrom;
}

interface StartedConversation {
    readonly journal: Journal;
    /** The first record, already in the log. */
    readonly started: JournalRecord;
}

/** This user's conversations across all projects. */
export interface ConversationStore {
    /** Returns six hex digits that no conversation uses yet. */
    newId(): string;
    /** Whether there is a log of this id. */
    has(id: string): boolean;
    /** Creates a log and locks it for this process until the journal is closed. */
    start(start: ConversationStart): Promise<StartedConversation>;
    /**
     * Reopens a log and locks it until the journal is closed, so open before reading. Rejects with
     * `no-such-conversation` or `conversation-in-use`.
     */
    open(id: string): Promise<Journal>;
    /** Rejects with `no-such-conversation` or `log-too-new`. */
    read(id: string, options?: Pick<ByteRange, "skip">): Promise<JournalContent>;
    /** Returns the log up to `turns` turns, or all of it. Rejects with `no-such-turn`. */
    cut(id: string, turns?: number): Promise<ForkedFrom>;
    /** Returns the ids of conversations written to since `at`, in milliseconds since 1970. */
    changedSince(at: number): Promise<readonly string[]>;
    /** Conversations open in a live process. */
    held(): Promise<readonly HeldConversation[]>;
    /** Newest first, without nested runs. Rejects with the signal's reason if aborted. */
    list(options?: ListOptions): Promise<readonly ConversationSummary[]>;
    /** Nested runs of one conversation, or of all, oldest first. */
    nestedRuns(parent?: string): Promise<readonly ConversationSummary[]>;
    /**
     * Also removes its nested runs, and the file contents kept for undo unless another conversation
     * needs them. Rejects with `no-such-conversation`, `conversation-in-use` or
     * `conversation-has-forks`.
     */
    remove(id: string): Promise<void>;
}

export function createConversationStore(dataFolder: string): ConversationStore {
    const folder = path.join(dataFolder, "conversations");
    const logFile = (id: string) => path.join(folder, `${id}.jsonl`);
    const existing = async (id: string) => {
        // Validate before using it in a path.
        if (store.has(id)) return logFile(id);
        throw await noSuchConversation(folder, id);
    };
    const store: ConversationStore = {
        newId() {
            for (;;) {
                const id = randomBytes(3).toString("hex");
                if (!existsSync(logFile(id))) return id;
            }
        },
        has: (id) => isId(id) && existsSync(logFile(id)),
        start: (start) => startLog(logFile(start.id), start),
        async open(id) {
            const file = await existing(id);
            return lockedJournal(file, await holdConversation(file, id), { create: false });
        },
        async read(id, options) {
            await existing(id);
            return readWithFork(logFile, id, options);
        },
        async cut(id, turns) {
            await existing(id);
            return cutAfter(logFile, id, turns);
        },
        async changedSince(at) {
            const modifiedAt = (id: string) =>
                statSync(logFile(id), { throwIfNoEntry: false })?.mtimeMs ?? 0;
            return (await idsIn(folder)).filter((id) => modifiedAt(id) >= at);
        },
        async held() {
            const held: HeldConversation[] = [];
            for (const name of await ifAbsent(readdir(folder), [])) {
                const id = /^([0-9a-f]{6})\.holder$/.exec(name)?.[1];
                const holder = id && (await lockHolder(path.join(folder, name)));
                if (id && holder && existsSync(logFile(id))) held.push({ id, ...holder });
            }
            return held;
        },
        async list(options) {
            const summaries = (await readIndex(folder, options)).filter(({ nested }) => !nested);
            return summaries.sort((one, other) => other.updatedAt - one.updatedAt);
        },
        nestedRuns: (parent) => nestedRunsIn(folder, parent),
        async remove(id) {
            const file = await existing(id);
            await refuseIfForked(folder, id);
            const nested = await nestedRunsIn(folder, id);
            const hold = await holdConversation(file, id);
            try {
                await rm(file, { force: true });
                for (const run of nested) await rm(logFile(run.id), { force: true });
                await rm(stagingFolder(dataFolder, id), { recursive: true, force: true });
                await forgetKeys(dataFolder, id);
            } catch (error) {
                throw asWriteError(error, file);
            } finally {
                hold.release();
            }
            await readIndex(folder);
            await removeUnnamedObjects(dataFolder);
        },
    };
    return store;
}

async function nestedRunsIn(folder: string, parent?: string) {
    return (await readIndex(folder))
        .filter(({ nested }) => nested && (parent === undefined || nested.parent === parent))
        .sort((one, other) => one.startedAt - other.startedAt);
}

async function startLog(file: string, start: ConversationStart): Promise<StartedConversation> {
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
            append: (record) => journal.append(record),
            sync: () => journal.sync(),
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

/** Forks need the log they start from. */
async function refuseIfForked(folder: string, id: string): Promise<void> {
    const forks = (await readIndex(folder)).filter(({ forkOf }) => forkOf === id);
    if (forks.length === 0) return;
    const ids = forks.map((fork) => fork.id).join(", ");
    throw new NorthError("conversation-has-forks", `${id} has forks: ${ids}.`, [
        "Delete its forks first.",
    ]);
}

async function idsIn(folder: string): Promise<string[]> {
    const names = await ifAbsent(readdir(folder), []);
    return names.flatMap((name) => LOG_NAME.exec(name)?.[1] ?? []);
}

function isId(id: string): boolean {
    return /^[0-9a-f]{6}$/.test(id);
}

async function noSuchConversation(folder: string, id: string): Promise<NorthError> {
    const near = (await idsIn(folder))
        // A dangling link shows up as a name, but is not a conversation.
        .filter((other) => other !== id && isNear(id.toLowerCase(), other))
        .slice(0, 5);
    return new NorthError("no-such-conversation", `There is no conversation ${id}.`, [
        ...(near.length > 0 ? [`Did you mean ${near.join(" or ")}?`] : []),
        "`north conversations` lists them.",
    ]);
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
