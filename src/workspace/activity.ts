import type { FileActivity } from "../plugin/workspace.js";
import { runGit } from "./git.js";

/** Number of latest commits to examine. */
const COMMITS = 500;
const LIMIT_MS = 5_000;

const LOG = [
    "log",
    `--max-count=${COMMITS}`,
    "--format=tformat:%x01",
    "--numstat",
    "-z",
    "--no-renames",
    "--no-merges",
    "--no-color",
    // Programs that the repository's settings name must not run.
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules",
];

const NUMBERS = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/;

/**
 * How often each file changed in the latest commits, most active first. A slow history counts as
 * far as it was read in 5 seconds. `null` without a history.
 */
export async function gitActivity(
    root: string,
    isListed: (path: string) => boolean,
    signal?: AbortSignal
): Promise<readonly FileActivity[] | null> {
    const output = await runGit(root, LOG, { signal, timeoutMs: LIMIT_MS });
    if (output === undefined) return null;

    const activity = new Map<string, { commits: number; linesChanged: number }>();
    // An entry that was cut off does not count.
    for (const entry of output.stdout.toString("utf8").split("\0").slice(0, -1)) {
        const [, added = "-", deleted = "-", path = ""] = NUMBERS.exec(entry.trimStart()) ?? [];
        if (path !== "" && isListed(path)) {
            const { commits, linesChanged } = activity.get(path) ?? { commits: 0, linesChanged: 0 };
            const lines = (Number(added) || 0) + (Number(deleted) || 0);
            activity.set(path, { commits: commits + 1, linesChanged: linesChanged + lines });
        }
    }
    return Array.from(activity, ([path, numbers]) => ({ path, ...numbers })).sort(
        (left, right) =>
            right.commits - left.commits ||
            right.linesChanged - left.linesChanged ||
            (left.path < right.path ? -1 : 1)
    );
}
