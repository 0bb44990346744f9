import { programsInSettings, runGit } from "../../workspace/git.js";

/** The commit that last changed a line. */
export interface CommitOfLine {
    readonly commit: string;
    readonly author: string;
    /** Milliseconds since 1970. */
    readonly at: number;
}

/** By index of the line; nothing for lines that are not committed, and where git knows nothing. */
export async function gitBlame(root: string, path: string): Promise<Map<number, CommitOfLine>> {
    const lines = new Map<number, CommitOfLine>();
    // Git would pass the file through their filters.
    if ((await programsInSettings(root)).length > 0) return lines;
    const output = await runGit(root, ["blame", "--no-textconv", "--line-porcelain", "--", path]);
    if (!output?.complete) return lines;
    let [commit, place, author, at] = ["", 0, "", 0];
    for (const row of output.stdout.toString("utf8").split("\n")) {
        const head = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(row);
        if (head) {
            [commit, place] = [head[1] ?? "", Number(head[2])];
        } else if (row.startsWith("author ")) {
            author = row.slice("author ".length);
        } else if (row.startsWith("author-time ")) {
            at = Number(row.slice(12)) * 1_000;
        } else if (row.startsWith("\t") && !/^0+$/.test(commit)) {
            lines.set(place - 1, { commit: commit.slice(0, 10), author, at });
        }
    }
    return lines;
}
