import { type Stats, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { isFields } from "../../base/fields.js";
import { firstOf } from "../../base/format.js";
import { writeFileAtomically } from "../files/atomic-file.js";
import { withLock } from "../files/file-lock.js";
import { readJson } from "../files/json-file.js";
import { readJsonLines } from "./journal-lines.js";
import {
    addRecord,
    type ConversationSummary,
    EMPTY_SUMMARY,
    type SummaryProgress,
} from "./conversation-summary.js";
import { isExpectedError } from "../../base/north-error.js";
import { errorCode, ifAbsent } from "../../base/system-error.js";
import { readOr, type Report } from "../files/storage-error.js";
import { checkRecord } from "./validate-record.js";

interface IndexedLog extends SummaryProgress {
    readonly bytes: number;
    /** The log's size and mtime when it was summarized, to detect changes. */
    readonly size: number;
    readonly modifiedAt: number;
}

type Index = ReadonlyMap<string, IndexedLog>;

const VERSION = 1;
export const LOG_NAME = /^([0-9a-f]{6})\.jsonl$/;

export interface ListOptions {
    /** Aborts the read; what was read so far is kept. */
    readonly signal?: AbortSignal;
    /** Called with one sentence for whatever could not be read. */
    readonly report?: Report;
    progress?(read: number, total: number): void;
}

/** Max logs read in parallel. */
const READERS = 8;
const PROGRESS_EVERY = 50;

/**
 * Summarizes all logs in a folder. `index.json` is only a cache: missing entries, and entries older
 * than their log, are read from the log. Unreadable logs are left out.
 */
export async function readIndex(
    folder: string,
    { signal, report = () => {}, progress }: ListOptions = {}
): Promise<ConversationSummary[]> {
    const file = path.join(folder, "index.json");
    const unread: string[] = [];
    const leaveOut = (location: string) => (error: unknown) => {
        if (errorCode(error) === undefined && !isExpectedError(error)) throw error;
        unread.push(path.basename(location));
        return undefined;
    };
    const saved = (await loadIndex(file).catch(leaveOut(file))) ?? new Map<string, IndexedLog>();
    const current = new Map<string, IndexedLog>();
    const changed: LogState[] = [];
    for (const name of await readOr(readdir(folder), folder, [])) {
        const id = LOG_NAME.exec(name)?.[1];
        const log = path.join(folder, name);
        // Synchronous on purpose: hardly any of thousands of logs has changed.
        const status = id === undefined ? undefined : statusOf(log, leaveOut(log));
        if (id === undefined || status === undefined) continue;
        const known = saved.get(id);
        const { size, mtimeMs: modifiedAt } = status;
        if (known?.size === size && known.modifiedAt === modifiedAt) current.set(id, known);
        else changed.push({ id, file: log, size, modifiedAt, known });
    }
    const total = changed.length;
    const next = changed.values();
    let done = 0;
    const read = async () => {
        for (const log of next) {
            if (signal?.aborted) return;
            // Absent: another process has just deleted it.
            const summarizing = ifAbsent(summarizeLog(log), undefined);
            const entry = await summarizing.catch(leaveOut(log.file));
            if (entry) current.set(log.id, entry);
            done += 1;
            if (done % PROGRESS_EVERY === 0) progress?.(done, total);
        }
    };
    await Promise.all(Array.from({ length: READERS }, read));
    if (total > 0 || current.size !== saved.size) await saveIndex(file, current);
    signal?.throwIfAborted();
    const unlisted = firstOf(unread, 3, " and ");
    if (unlisted) report(`Not listed, because unreadable: ${unlisted} in ${folder}.`);
    return [...current.values()].map((entry) => entry.summary);
}

function statusOf(file: string, leaveOut: (error: unknown) => undefined): Stats | undefined {
    try {
        return statSync(file, { throwIfNoEntry: false });
    } catch (error) {
        return leaveOut(error);
    }
}

interface LogState {
    readonly id: string;
    readonly file: string;
    readonly size: number;
    readonly modifiedAt: number;
    readonly known: IndexedLog | undefined;
}

async function summarizeLog(log: LogState): Promise<IndexedLog | undefined> {
    const { id, file, size, modifiedAt, known } = log;
    // Logs only grow: after any other change it is a different log.
    const base = known && size > known.size ? known : undefined;
    let progress: SummaryProgress = base ?? { summary: { ...EMPTY_SUMMARY, id } };
    const bytes = await readJsonLines(
        file,
        { from: base?.bytes ?? 0 },
        (value) => {
            const checked = checkRecord(value);
            if (checked.kind === "valid") progress = addRecord(progress, checked.record);
        },
        () => {}
    );
    if (progress.summary.updatedAt === 0) return undefined;
    return { ...progress, bytes, size, modifiedAt };
}

async function loadIndex(file: string): Promise<Index> {
    const stored = await readJson(file);
    if (stored.kind !== "value" || stored.value.version !== VERSION) return new Map();
    if (!isFields(stored.value.conversations)) return new Map();
    const entries = Object.entries(stored.value.conversations);
    return new Map(entries.filter((entry): entry is [string, IndexedLog] => isEntry(entry[1])));
}

const SUMMARY_FIELDS = Object.entries(EMPTY_SUMMARY);

function isEntry(value: unknown): value is IndexedLog {
    if (!isFields(value) || !isFields(value.summary)) return false;
    const { summary } = value;
    const isReply = (reply: unknown) =>
        isFields(reply) && typeof reply.id === "string" && typeof reply.costUsd === "number";
    return (
        [value.bytes, value.size, value.modifiedAt].every(Number.isFinite) &&
        typeof summary.id === "string" &&
        SUMMARY_FIELDS.every(([name, empty]) => typeof summary[name] === typeof empty) &&
        (value.lastReply === undefined || isReply(value.lastReply))
    );
}

/** Best effort: a missing index only makes the next list slower. */
async function saveIndex(file: string, index: Index): Promise<void> {
    const content = { version: VERSION, conversations: Object.fromEntries(index) };
    await withLock(
        file,
        (lease) =>
            writeFileAtomically(file, JSON.stringify(content), {
                durable: false,
                beforeReplace: lease.assertHeld,
            }),
        { waitMs: 500 }
    ).catch(() => {});
}
