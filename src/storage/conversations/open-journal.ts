import { closeSync, constants, fsync, openSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { Journal } from "../../core/conversation/journal.js";
import type { JournalRecord } from "../../plugin/records.js";
import { appendBytes, endsInTornLine } from "../files/append-line.js";
import { syncFolder } from "../files/atomic-file.js";
import { makeFolder } from "../files/make-folder.js";
import { asWriteError } from "../files/storage-error.js";

const fsyncDescriptor = promisify(fsync);

/**
 * Opens a log for appending. With `create` the file must not exist yet, without it must. Throws
 * `disk-full` or `log-not-writable`, and the plain `EEXIST` or `ENOENT`.
 */
export function openJournal(file: string, { create }: { readonly create: boolean }): Journal {
    const explain = (error: unknown) => asWriteError(error, file, "log-not-writable");
    const open = openForAppending(file, create, explain);
    let isNew = create;
    let isTorn = open.isTorn;
    let isClosed = false;
    return {
        append(record: JournalRecord) {
            const line = `${isTorn ? "\n" : ""}${JSON.stringify(record)}\n`;
            try {
                appendBytes(open.descriptor, Buffer.from(line));
                isTorn = false;
            } catch (error) {
                // Perhaps part of the line was written: ask the file, for an error does not tell.
                isTorn = endsInTornLine(open.descriptor);
                throw explain(error);
            }
        },
        async sync() {
            if (isClosed) return;
            try {
                await fsyncDescriptor(open.descriptor);
                if (isNew) await syncFolder(path.dirname(file));
                isNew = false;
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

function openForAppending(file: string, create: boolean, explain: (error: unknown) => unknown) {
    const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
    const flags = O_RDWR | O_APPEND | O_NOFOLLOW | (create ? O_CREAT | O_EXCL : 0);
    try {
        if (create) makeFolder(path.dirname(file));
        const descriptor = openSync(file, flags, 0o600);
        return { descriptor, isTorn: endsInTornLine(descriptor) };
    } catch (error) {
        throw explain(error);
    }
}
