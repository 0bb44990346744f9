import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../base/sha256.js";
import { gitDirectories } from "../base/git-directory.js";
import { readShortFile } from "../base/read-regular-file.js";

interface RepositoryMarks {
    /** Changes with the root's entries, and daily. */
    readonly content: string;
    /** Changes with each commit; equals `content` without git. */
    readonly history: string;
}

export async function repositoryMarks(root: string, now = new Date()): Promise<RepositoryMarks> {
    const day = now.toISOString().slice(0, 10);
    const content = hash([day, ...(await namesIn(root))]);
    const git = await gitDirectories(root);
    const head = git && readShortFile(join(git.own, "HEAD"));
    if (git === undefined || head === undefined) return { content, history: content };
    const branch = /^ref: (\S+)/.exec(head)?.[1];
    const commit = branch && readShortFile(join(git.common, branch));
    return {
        content,
        history: hash([head, commit ?? (await timeOf(join(git.common, "packed-refs")))]),
    };
}

async function timeOf(file: string): Promise<string> {
    return stat(file).then(
        ({ mtimeMs, size }) => `${mtimeMs}/${size}`,
        () => ""
    );
}

/** Excludes North's own folder: writing the cache must not change its own fingerprint. */
async function namesIn(folder: string): Promise<readonly string[]> {
    const names = await readdir(folder).catch(() => []);
    return names.filter((name) => name !== ".north").sort();
}

function hash(marks: readonly string[]): string {
    return sha256(marks.join("\0")).slice(0, 32);
}
