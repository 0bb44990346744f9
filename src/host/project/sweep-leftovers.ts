import { tmpdir } from "node:os";
import path from "node:path";
import { layerFolders } from "./contained-commands.js";
import { sweepPrivateFolders } from "../../shell/private-folder.js";
import { sweepTemporaryFiles } from "../../storage/files/atomic-file.js";
import { sweepLocks } from "../../storage/files/file-lock.js";
import { projectFolder, type NorthDirectories } from "../../storage/files/directories.js";

interface SweptProject {
    readonly root: string;
    readonly directories: NorthDirectories;
    readonly environment: NodeJS.ProcessEnv;
}

/** Removes temporary files, locks and folders of dead processes. Never rejects. */
export async function sweepLeftovers(project: SweptProject): Promise<void> {
    const { root, directories, environment } = project;
    const { data, config } = directories;
    const { XDG_RUNTIME_DIR: runtime = tmpdir() } = environment;
    const folders = [
        config,
        data,
        ...["conversations", "history", "objects", "rescues"].map((name) => path.join(data, name)),
        projectFolder(data, root),
        path.join(root, ".north"),
    ];
    // A folder that is missing or not writable has nothing to sweep.
    await Promise.allSettled([
        ...folders.flatMap((folder) => [sweepTemporaryFiles(folder), sweepLocks(folder)]),
        ...[runtime, ...layerFolders(directories), tmpdir(), "/var/tmp", "/dev/shm"].map(
            sweepPrivateFolders
        ),
    ]);
}
