import { constants, lstatSync, readdirSync, type Stats } from "node:fs";
import { attempt } from "../../../base/attempt.js";
import { canAccess } from "../../../base/paths.js";
import { errorCode } from "../../../base/system-error.js";

/** The type of a path in a layer; `other` for pipes, sockets and devices. */
type EntryKind = "file" | "link" | "folder" | "other";

export interface LayerEntry {
    readonly kind: EntryKind;
    readonly stats: Stats;
    /** Where it is: absolute, in its layer. */
    readonly path: string;
}

export interface FolderNames {
    readonly text: ReadonlySet<string>;
    /** Names that are not UTF-8, one character a byte. */
    readonly bytes: ReadonlySet<string>;
}

/** overlayfs marks deletions with a 0/0 character device (see the kernel's documentation). */
export function isWhiteout({ stats }: LayerEntry): boolean {
    return stats.isCharacterDevice() && stats.rdev === 0;
}

export function entryAt(path: string): LayerEntry | undefined {
    try {
        const stats = lstatSync(path, { throwIfNoEntry: false });
        return stats && entryOf(path, stats);
    } catch (error) {
        // The layer has a file in place of a folder.
        if (errorCode(error) === "ENOTDIR") return undefined;
        throw error;
    }
}

export function entryOf(path: string, stats: Stats): LayerEntry {
    const kind = stats.isFile()
        ? "file"
        : stats.isSymbolicLink()
          ? "link"
          : stats.isDirectory()
            ? "folder"
            : "other";
    return { kind, stats, path };
}

/** Whether its content can be read; a mode, or another owner, may forbid that. */
export function isReadable(entry: LayerEntry | undefined): boolean {
    if (entry?.kind !== "file" && entry?.kind !== "folder") return true;
    const { kind, stats, path } = entry;
    const needed = kind === "file" ? 0o400 : 0o500;
    // Spares a call for nearly every file.
    if (stats.uid === process.getuid?.() && (stats.mode & needed) === needed) return true;
    return canAccess(path, kind === "file" ? constants.R_OK : constants.R_OK | constants.X_OK);
}

export function namesIn(folder: string): FolderNames {
    const names = { text: new Set<string>(), bytes: new Set<string>() };
    for (const bytes of attempt(() => readdirSync(folder, "latin1"), []).sort()) {
        const text = utf8(bytes);
        if (text === undefined) names.bytes.add(bytes);
        else names.text.add(text);
    }
    return names;
}

function utf8(bytes: string): string | undefined {
    const text = Buffer.from(bytes, "latin1").toString("utf8");
    return latin1(text) === bytes ? text : undefined;
}

export function latin1(text: string): string {
    return Buffer.from(text).toString("latin1");
}

/** Far faster than `path.join`, which would be called several times for each file. */
export function joined(folder: string, name: string): string {
    if (name === "") return folder;
    return folder === "" ? name : `${folder}/${name}`;
}
