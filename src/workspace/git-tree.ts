import { copyFile, mkdir, mkdtemp, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { mayRunPrograms, runGit } from "../base/git.js";
import { gitDirectories } from "../base/git-directory.js";
import { indexEntries, LIST_INDEX } from "../base/index-entries.js";

/** What the index notes about a file must not hide that it changed. */
const SETTINGS = ["core.ignoreStat=false", "core.trustctime=true", "core.checkStat=default"];
/** A file that changed within the index's own second may look unchanged; git reads those again. */
const SAFE_SECONDS = 2;
/** Reading large files that git does not know would hold up each check of the project. */
const LIMIT_MS = 2_000;

/**
 * The ID of the tree that a commit of everything which git does not ignore would have now.
 * `undefined` where that is unknown: without git, with filters from the repository's settings, if
 * the index hides changes, or if one step takes longer than two seconds. Writes nothing to the
 * repository. Rejects only with the signal's reason.
 */
export async function gitTree(root: string, signal?: AbortSignal): Promise<string | undefined> {
    const git = await gitDirectories(root);
    if (git === undefined || (await mayRunPrograms(root))) return undefined;
    const folder = await mkdtemp(path.join(tmpdir(), "north-tree-"));
    try {
        const [index, objects] = [path.join(folder, "index"), path.join(folder, "objects")];
        await mkdir(objects);
        await copyIndex(path.join(git.own, "index"), index);
        const variables = {
            GIT_INDEX_FILE: index,
            GIT_OBJECT_DIRECTORY: objects,
            GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(path.join(git.common, "objects")),
        };
        const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
        const run = async (...words: readonly string[]) => {
            const options = { variables, timeoutMs: LIMIT_MS, signal };
            const output = await runGit(root, [...settings, ...words], options);
            return output?.complete ? output.stdout.toString("latin1") : undefined;
        };
        if ((await run("add", "--all", "--", ".")) === undefined) return undefined;
        const listing = await run(...LIST_INDEX);
        if (listing === undefined || indexEntries(listing).some(({ tag }) => tag !== "H")) {
            return undefined;
        }
        return (await run("write-tree"))?.trim();
    } finally {
        await rm(folder, { recursive: true, force: true });
    }
}

async function copyIndex(from: string, to: string): Promise<void> {
    const status = await stat(from).catch(() => undefined);
    if (!status?.isFile()) return;
    await copyFile(from, to);
    const seconds = Math.floor(status.mtimeMs / 1_000) - SAFE_SECONDS;
    await utimes(to, seconds, seconds);
}
