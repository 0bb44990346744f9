import {
    closeSync,
    constants,
    openSync,
    readdirSync,
    readFileSync,
    rmdirSync,
    rmSync,
} from "node:fs";
import path from "node:path";
import type { Staging } from "../../core/files/staging.js";
import { appendBytes } from "./append-line.js";
import { makeFolder } from "./make-folder.js";
import { errorCode, isAbsent } from "../../base/system-error.js";
import { asReadError, asWriteError } from "./storage-error.js";

/** Where a conversation's streamed files are kept until they are applied. */
export function stagingFolder(dataFolder: string, conversationId: string): string {
    return path.join(dataFolder, "staging", conversationId);
}

/** Streamed files below `folder`, each under its target's relative path. */
export function createStaging(folder: string): Staging {
    const place = (relative: string) => placeIn(folder, relative);
    return {
        place,
        begin: (relative) => write(place(relative), "", constants.O_CREAT | constants.O_TRUNC),
        append: (relative, text) => write(place(relative), text, constants.O_APPEND),
        read: (relative) => read(place(relative)),
        remove(relative) {
            const file = place(relative);
            try {
                rmSync(file, { force: true });
                removeEmptyFolders(path.dirname(file), path.dirname(folder));
            } catch (error) {
                throw asWriteError(error, file);
            }
        },
        paths: () => filesBelow(folder),
    };
}

/** Throws if the path leads out of `folder`. */
function placeIn(folder: string, relative: string): string {
    const file = path.resolve(folder, relative);
    if (!file.startsWith(folder + path.sep)) {
        throw new TypeError(`Not a path below the root: ${relative}`);
    }

    return file;
}

function write(file: string, text: string, flags: number): void {
    try {
        if (flags & constants.O_CREAT) makeFolder(path.dirname(file));
        const { O_WRONLY, O_NOFOLLOW } = constants;
        const descriptor = openSync(file, O_WRONLY | O_NOFOLLOW | flags, 0o600);
        try {
            appendBytes(descriptor, Buffer.from(text));
        } finally {
            closeSync(descriptor);
        }
    } catch (error) {
        throw asWriteError(error, file);
    }
}

function read(file: string): string | undefined {
    try {
        return readFileSync(file, "utf8");
    } catch (error) {
        if (isAbsent(error) || ["ENOTDIR", "EISDIR"].includes(errorCode(error) ?? "")) {
            return undefined;
        }

        throw asReadError(error, file);
    }
}

function filesBelow(folder: string): readonly string[] {
    try {
        return readdirSync(folder, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
            .sort();
    } catch (error) {
        if (isAbsent(error)) return [];
        throw asReadError(error, folder);
    }
}

function removeEmptyFolders(folder: string, end: string): void {
    for (let empty = folder; empty.startsWith(end + path.sep); empty = path.dirname(empty)) {
        try {
            rmdirSync(empty);
        } catch {
            // Not empty, or already gone.
            return;
        }
    }
}
