import { mayRunPrograms, runGit } from "../../base/git.js";

export interface CommitOfLine {
    readonly commit: string;
    /** The file's path in that commit. */
    readonly path: string;
    /** The line's index in the file as committed. */
    readonly line: number;
    readonly author: string;
    /** Epoch milliseconds. */
    readonly at: number;
}

/** Commits by line index. Uncommitted lines, and files unknown to git, have none. */
export async function gitBlame(root: string, path: string): Promise<Map<number, CommitOfLine>> {
    const lines = new Map<number, CommitOfLine>();
    // Git would run the filters in the repository's settings on the file.
    if (await mayRunPrograms(root)) return lines;
    const output = await runGit(root, ["blame", "--no-textconv", "--line-porcelain", "--", path]);
    if (!output?.complete) return lines;
    let [commit, name, line, index, author, at] = ["", path, 0, 0, "", 0];
    for (const row of output.stdout.toString("utf8").split("\n")) {
        const head = /^([0-9a-f]{40,64}) (\d+) (\d+)/.exec(row);
        if (head) {
            [commit, line, index] = [head[1] ?? "", Number(head[2]), Number(head[3])];
        } else if (row.startsWith("author ")) {
            author = row.slice("author ".length);
        } else if (row.startsWith("author-time ")) {
            at = Number(row.slice(12)) * 1_000;
        } else if (row.startsWith("filename ")) {
            name = row.slice("filename ".length);
        } else if (row.startsWith("\t") && !/^0+$/.test(commit)) {
            const place = { commit: commit.slice(0, 10), path: name, line: line - 1 };
            lines.set(index - 1, { ...place, author, at });
        }
    }
    return lines;
}
