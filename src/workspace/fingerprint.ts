import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readShortFile } from "../base/git-directory.js";

/**
 * A cheap mark of the state a repository is in: with git another commit or another set of tracked
 * files changes it, without git another set of entries in the root.
 */
export async function repositoryFingerprint(root: string): Promise<string> {
    const git = join(root, ".git");
    const head = await read(join(git, "HEAD"));
    const branch = /^ref: (\S+)/.exec(head)?.[1];
    const marks = [
        root,
        head,
        branch === undefined ? "" : await read(join(git, branch)),
        await timeOf(join(git, "packed-refs")),
        await timeOf(join(git, "index")),
        ...(head === "" ? await namesIn(root) : []),
    ];
    return createHash("sha256").update(marks.join("\0")).digest("hex").slice(0, 32);
}

async function read(file: string): Promise<string> {
    return (await readShortFile(file)) ?? "";
}

async function timeOf(file: string): Promise<string> {
    return stat(file).then(
        ({ mtimeMs, size }) => `${mtimeMs}/${size}`,
        () => ""
    );
}

/** Excludes North's own folder, because writing the cache must not change its own fingerprint. */
async function namesIn(folder: string): Promise<readonly string[]> {
    const names = await readdir(folder).catch(() => []);
    return names.filter((name) => name !== ".north").sort();
}
