import { closeSync, fstatSync, renameSync, statSync, writeSync } from "node:fs";
import path from "node:path";
import type { Log } from "../../core/log.js";
import { openAppendOnly } from "./append-line.js";
import { createRedactor, toLoggable } from "./redact.js";

const ROTATE_BYTES = 10 * 1024 * 1024;

interface LogOptions {
    readonly stateFolder: string;
    /** `debug` logs everything, `info` all but `debug` events. */
    readonly level: "info" | "debug";
    /** Values that must never be logged, such as keys in use; read again for each event. */
    readonly redact?: Iterable<string>;
    readonly now?: () => Date;
}

/** Opens `STATE/north.log` (JSON Lines) until `close`. Best effort: errors never surface. */
export function openLog({
    stateFolder,
    level,
    redact = [],
    now,
}: LogOptions): Log & { close(): void } {
    const file = path.join(stateFolder, "north.log");
    const redactText = createRedactor(redact);
    let isClosed = false;
    return {
        event(eventLevel, name, data = {}) {
            if (isClosed || (eventLevel === "debug" && level !== "debug")) return;
            try {
                const timestamp = (now?.() ?? new Date()).toISOString();
                const event = {
                    timestamp,
                    level: eventLevel,
                    event: name,
                    data: toLoggable(data, redactText),
                };
                appendEvent(file, `${JSON.stringify(event)}\n`);
            } catch {
                // A log that cannot be written must not stop the work it describes.
            }
        },
        close() {
            isClosed = true;
        },
    };
}

/** Reopens the file for each event: another North may have rotated it. */
function appendEvent(file: string, line: string): void {
    const descriptor = openAppendOnly(file, "a");
    try {
        writeSync(descriptor, line);
        const { size, ino } = fstatSync(descriptor);
        // Same inode: do not rotate a file another North has just rotated.
        if (size >= ROTATE_BYTES && statSync(file).ino === ino) renameSync(file, `${file}.1`);
    } finally {
        closeSync(descriptor);
    }
}
