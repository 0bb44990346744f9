import type { FileActivity } from "../plugin/workspace.js";
import { runGit } from "../base/git.js";

const COMMITS = 500;
/** Larger commits are imports or reformatting and say nothing about any single file. */
const MAX_FILES = 100;
const LIMIT_MS = 5_000;

const COMMON = [
    "-z",
    "--no-renames",
    "--no-merges",
    "--no-color",
    // Never run programs that the repository's git config names.
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules",
];

const HASH = /^\x01([0-9a-f]{40,64})$/;
const NUMBERS = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/;

/** Most active files first, as far as git answers within 5 seconds; `null` without a history. */
export async function gitActivity(
    root: string,
    isListed: (path: string) => boolean,
    signal?: AbortSignal
): Promise<readonly FileActivity[] | null> {
    const commits = await smallCommits(root, signal);
    if (commits === null) return null;
    if (commits.length === 0) return [];
    const log = ["log", "--no-walk=unsorted", "--format=tformat:%x01", "--numstat", ...COMMON];
    const output = await runGit(root, [...log, ...commits], { signal, timeoutMs: LIMIT_MS });
    if (output === undefined) return null;
    const activity = new Map<string, { commits: number; linesChanged: number }>();
    for (const entry of entriesOf(output.stdout)) {
        const [, added = "-", deleted = "-", path = ""] = NUMBERS.exec(entry) ?? [];
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

/** File names are cheap to ask for; line counts are not, least of all those of a huge commit. */
async function smallCommits(
    root: string,
    signal: AbortSignal | undefined
): Promise<readonly string[] | null> {
    const log = ["log", `--max-count=${COMMITS}`, "--format=tformat:%x01%H", "--name-only"];
    const output = await runGit(root, [...log, ...COMMON], { signal, timeoutMs: LIMIT_MS });
    if (output === undefined) return null;
    const small: string[] = [];
    let hash: string | undefined;
    let files = 0;
    const end = () => {
        if (hash !== undefined && files > 0 && files <= MAX_FILES) small.push(hash);
    };
    for (const entry of entriesOf(output.stdout)) {
        const begun = HASH.exec(entry)?.[1];
        if (begun === undefined) {
            files += 1;
            continue;
        }
        end();
        [hash, files] = [begun, 0];
    }
    end();
    return small;
}

/** Only complete entries: a truncated last one is dropped. */
function entriesOf(output: Buffer): readonly string[] {
    return output
        .toString("utf8")
        .split("\0")
        .slice(0, -1)
        .map((entry) => entry.trimStart());
}
