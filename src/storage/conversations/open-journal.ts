import { closeSync, constants, fsync, openSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { counted } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import type { Journal } from "../../core/conversation/conversation-log.js";
import { type JournalRecord, LOG_VERSION } from "../../plugin/records.js";
import { appendBytes, endsInTornLine } from "../files/append-line.js";
import { syncFolders } from "../files/atomic-file.js";
import { makeFolder } from "../files/make-folder.js";
import { asWriteError } from "../files/storage-error.js";
import { type ByteRange, readJsonLines } from "./journal-lines.js";
import { checkRecord } from "./validate-record.js";

export interface JournalContent {
    readonly records: readonly JournalRecord[];
    /** How many leading records come from the log this one was forked from. */
    readonly inherited: number;
    /** At most one sentence about damage and one about records from a newer North. */
    readonly warnings: readonly string[];
    /** Offset after the last complete line; pass it as `from` to read what was appended later. */
    readonly end: number;
}

/** Of what could not be read. */
export function onlyWarnings(warnings: readonly string[]): JournalContent {
    return { records: [], inherited: 0, warnings, end: 0 };
}

const fsyncDescriptor = promisify(fsync);

/** Throws `disk-full`, `log-not-writable`, and plain `EEXIST` (with `create`) or `ENOENT`. */
export function openJournal(file: string, options: { readonly create: boolean }): Journal {
    const explain = (error: unknown) => asWriteError(error, file, "log-not-writable");
    const open = openForAppending(file, options, explain);
    let unsynced = open.grown;
    let isTorn = open.isTorn;
    let isClosed = false;
    return {
        append(record: JournalRecord) {
            const line = `${isTorn ? "\n" : ""}${JSON.stringify(record)}\n`;
            try {
                appendBytes(open.descriptor, Buffer.from(line));
                isTorn = false;
            } catch (error) {
                // Part of the line may have been written: the error does not say, the file does.
                isTorn = endsInTornLine(open.descriptor);
                throw explain(error);
            }
        },
        async sync() {
            if (isClosed) return;
            try {
                await fsyncDescriptor(open.descriptor);
                await syncFolders(unsynced);
                unsynced = [];
            } catch (error) {
                throw explain(error);
            }
        },
        async close() {
            if (isClosed) return;
            isClosed = true;
            closeSync(open.descriptor);
        },
    };
}

function openForAppending(
    file: string,
    { create }: { readonly create: boolean },
    explain: (error: unknown) => unknown
) {
    const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
    const flags = O_RDWR | O_APPEND | O_NOFOLLOW | (create ? O_CREAT | O_EXCL : 0);
    try {
        const folder = path.dirname(file);
        const grown = create ? [folder, ...makeFolder(folder)] : [];
        const descriptor = openSync(file, flags, 0o600);
        return { descriptor, isTorn: endsInTornLine(descriptor), grown };
    } catch (error) {
        throw explain(error);
    }
}

/**
 * Reads a log from its start or from the `end` of an earlier read. Skips damaged and unknown lines
 * and keeps the rest; never changes the file. A torn last line counts if only its newline is
 * missing; otherwise it is silently skipped. Rejects with `log-too-new` for a newer format, and
 * with plain `ENOENT`.
 */
export async function readJournal(
    file: string,
    { from = 0, to = Infinity, skip = [] }: Pick<ByteRange, "from" | "to" | "skip"> = {}
): Promise<JournalContent> {
    const records: JournalRecord[] = [];
    const unknownTypes = new Map<string, number>();
    let damagedLines = 0;
    const end = await readJsonLines(
        file,
        { from, to, skip, withTornLine: true },
        (value) => {
            const checked = checkRecord(value);
            if (checked.kind === "valid") {
                assertReadable(file, checked.record);
                records.push(checked.record);
            } else if (checked.kind === "unknown") {
                unknownTypes.set(checked.type, (unknownTypes.get(checked.type) ?? 0) + 1);
            } else {
                damagedLines += 1;
            }
        },
        (isTorn) => (damagedLines += isTorn ? 0 : 1)
    );
    return { records, inherited: 0, warnings: warnings(file, damagedLines, unknownTypes), end };
}

function assertReadable(file: string, record: JournalRecord): void {
    if (record.type !== "conversation_started" || record.version <= LOG_VERSION) return;
    throw new NorthError("log-too-new", `${file} was written by a newer North.`, [
        "Update North to resume this conversation.",
    ]);
}

function warnings(
    file: string,
    damagedLines: number,
    unknownTypes: ReadonlyMap<string, number>
): string[] {
    const name = path.basename(file);
    const result: string[] = [];
    if (damagedLines > 0) {
        result.push(
            `${counted(damagedLines, "line")} of ${name} could not be read and ${were(damagedLines)} skipped.`
        );
    }
    if (unknownTypes.size > 0) {
        const count = [...unknownTypes.values()].reduce((sum, each) => sum + each, 0);
        const types = [...unknownTypes.keys()].slice(0, 5).join(", ");
        result.push(
            `${counted(count, "line")} of ${name} of an unknown kind (${types}) ${were(count)} skipped.`
        );
    }
    return result;
}

function were(count: number): string {
    return count === 1 ? "was" : "were";
}
