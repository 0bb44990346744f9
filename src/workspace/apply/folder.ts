import {
    constants,
    existsSync,
    lstatSync,
    readlinkSync,
    realpathSync,
    type BigIntStats,
} from "node:fs";
import { mkdir, open, rmdir, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { folderMoved } from "./apply-errors.js";
import { errorCode } from "../../base/system-error.js";

/**
 * A folder held open while its files are replaced. On Linux names resolve through the descriptor,
 * so swapping the folder or a parent for a link has no effect. Elsewhere Node cannot do this, so
 * the path is checked again before each step.
 */
export interface OpenFolder {
    /** The folder's real, absolute path. */
    readonly real: string;
    /** The path to use for a name in it. */
    at(name: string): string;
    /** Whether the path still leads to the open folder. */
    isInPlace(): boolean;
    /** Flushes renames to disk if the system supports it. */
    sync(): Promise<void>;
}

/** Opens each folder once; closes all together. */
export class OpenFolders {
    readonly #open = new Map<string, { folder: OpenFolder; handle: FileHandle }>();

    /** Rejects with `folder-moved` if the path is not, or no longer, a real folder. */
    async open(real: string): Promise<OpenFolder> {
        const held = this.#open.get(real) ?? (await openFolder(real));
        this.#open.set(real, held);
        return held.folder;
    }

    async make(real: string): Promise<OpenFolder> {
        const parent = await this.open(dirname(real));
        try {
            await mkdir(parent.at(basename(real)));
        } catch (error) {
            if (errorCode(error) !== "EEXIST") throw error;
        }
        return this.open(real);
    }

    all(): readonly OpenFolder[] {
        return [...this.#open.values()].map(({ folder }) => folder);
    }

    async close(): Promise<void> {
        await Promise.all([...this.#open.values()].map(({ handle }) => handle.close()));
        this.#open.clear();
    }
}

/** Removes folders that deletions left empty, as git does, except `kept`; relative to `root`. */
export async function removeEmptyFolders(
    root: string,
    paths: readonly string[],
    kept: ReadonlySet<string>
): Promise<void> {
    for (const path of paths) {
        const folders = new OpenFolders();
        try {
            for (
                let folder = dirname(path);
                folder !== "." && !kept.has(folder);
                folder = dirname(folder)
            ) {
                const parent = await folders.open(join(root, dirname(folder)));
                await rmdir(parent.at(basename(folder)));
            }
        } catch {
            // It is not empty, or no longer a folder.
        } finally {
            await folders.close();
        }
    }
}

const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

async function openFolder(real: string): Promise<{ folder: OpenFolder; handle: FileHandle }> {
    const handle = await open(real, FLAGS).catch((error: unknown) => {
        throw ["ENOENT", "ENOTDIR", "ELOOP"].includes(errorCode(error) ?? "")
            ? folderMoved(real, error)
            : error;
    });
    const base = `/proc/self/fd/${handle.fd}`;
    const place = existsSync(`${base}/.`)
        ? { at: (name: string) => `${base}/${name}`, isInPlace: () => readlinkSync(base) === real }
        : throughPath(real, await handle.stat({ bigint: true }));
    if (!place.isInPlace()) {
        await handle.close();
        throw folderMoved(real);
    }
    // Some file systems cannot sync a folder; the files themselves have been synced.
    const sync = () => handle.sync().catch(() => undefined);
    return { folder: { real, ...place, sync }, handle };
}

function throughPath(real: string, opened: BigIntStats) {
    return {
        at: (name: string) => join(real, name),
        isInPlace() {
            try {
                const now = lstatSync(real, { bigint: true });
                const isSame = now.dev === opened.dev && now.ino === opened.ino;
                return isSame && realpathSync.native(real) === real;
            } catch {
                return false;
            }
        },
    };
}
