import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { writeFileAtomically } from "../files/atomic-file.js";
import { withLock } from "../files/file-lock.js";
import { isJsonRecord, readJson } from "../files/json-file.js";
import { readJsonLines } from "./journal-lines.js";
import {
    addRecord,
    type ConversationSummary,
    EMPTY_SUMMARY,
    type SummaryProgress,
} from "./conversation-summary.js";
import { ifAbsent } from "../../base/system-error.js";
import { checkRecord } from "./validate-record.js";

/** A summary and how much of the log went into it. */
interface IndexEntry extends SummaryProgress {
    readonly bytes: number;
    /** The log as it was then, to see whether it has changed. */
    readonly size: number;
    readonly modifiedAt: number;
}

type Index = ReadonlyMap<string, IndexEntry>;

const VERSION = 1;
const LOG_NAME = /^([0-9a-f]{6})\.jsonl$/;

/**
 * The summaries of all logs in a folder. `index.json` only saves the work of reading them again:
 * what it does not have, or has from before the log grew, comes from the logs.
 */
export async function readIndex(folder: string): Promise<ConversationSummary[]> {
    const file = path.join(folder, "index.json");
    const saved = await loadIndex(file);
    const current = new Map<string, IndexEntry>();
    let hasChanged = false;
    for (const name of await ifAbsent(readdir(folder), [])) {
        const id = LOG_NAME.exec(name)?.[1];
        if (id === undefined) continue;
        const known = saved.get(id);
        // Absent: deleted by another process in this moment.
        const entry = await ifAbsent(upToDate(path.join(folder, name), id, known), undefined);
        if (entry) current.set(id, entry);
        hasChanged ||= entry !== known;
    }
    if (hasChanged || current.size !== saved.size) await saveIndex(file, current);
    return [...current.values()].map((entry) => entry.summary);
}

async function upToDate(
    file: string,
    id: string,
    known: IndexEntry | undefined
): Promise<IndexEntry | undefined> {
    const { size, mtimeMs } = await stat(file);
    if (known?.size === size && known.modifiedAt === mtimeMs) return known;
    // A log only grows; one that did not is another one.
    const base = known && size > known.size ? known : undefined;
    return summarizeLog(file, { id, size, modifiedAt: mtimeMs, base });
}

interface LogState {
    readonly id: string;
    readonly size: number;
    readonly modifiedAt: number;
    readonly base: IndexEntry | undefined;
}

async function summarizeLog(
    file: string,
    { id, size, modifiedAt, base }: LogState
): Promise<IndexEntry | undefined> {
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
    if (!isJsonRecord(stored.value.conversations)) return new Map();
    const entries = Object.entries(stored.value.conversations);
    return new Map(entries.filter((entry): entry is [string, IndexEntry] => isEntry(entry[1])));
}

function isEntry(value: unknown): value is IndexEntry {
    if (!isJsonRecord(value) || !isJsonRecord(value.summary)) return false;
    const { summary } = value;
    const isReply = (reply: unknown) =>
        isJsonRecord(reply) && typeof reply.id === "string" && typeof reply.costUsd === "number";
    return (
        [value.bytes, value.size, value.modifiedAt].every(Number.isFinite) &&
        typeof summary.id === "string" &&
        Object.entries(EMPTY_SUMMARY).every(
            ([name, empty]) => typeof summary[name] === typeof empty
        ) &&
        (value.lastReply === undefined || isReply(value.lastReply))
    );
}

/** Never fails: without an index the next list takes longer, and that is all. */
async function saveIndex(file: string, index: Index): Promise<void> {
    const content = { version: VERSION, conversations: Object.fromEntries(index) };
    await withLock(
        file,
        (lease) =>
            writeFileAtomically(file, JSON.stringify(content), {
                durable: false,
                beforeReplace: () => lease.assertHeld(),
            }),
        { waitMs: 500 }
    ).catch(() => {});
}
