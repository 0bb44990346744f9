import path from "node:path";
import { runGit } from "./git.js";

export interface GitSetting {
    /** `system`, `global`, `local` or `worktree`; `unknown` before git 2.26. */
    readonly scope: string;
    /** An absolute path. */
    readonly file: string;
    /** In lower case but for a middle part, as `includeIf.gitdir:~/Work/.path`. */
    readonly key: string;
    readonly value: string;
}

/** Git's settings in a repository, weakest first, without those that North gives git. */
export async function gitConfig(root: string): Promise<readonly GitSetting[]> {
    const list = (...scope: readonly string[]) =>
        runGit(root, ["config", "--list", "--includes", ...scope, "--show-origin", "-z"]);
    const scoped = await list("--show-scope");
    const words = (scoped ?? (await list()))?.stdout.toString("utf8").split("\0") ?? [];
    const size = scoped ? 3 : 2;
    const settings: GitSetting[] = [];
    for (let index = 0; index + size <= words.length; index += size) {
        const [entry = "", origin = "", scope = "unknown"] = words
            .slice(index, index + size)
            .reverse();
        if (origin === "command line:") continue;
        const file = path.resolve(root, origin.replace(/^file:/, ""));
        const end = entry.indexOf("\n");
        const [key, value] = end < 0 ? [entry, ""] : [entry.slice(0, end), entry.slice(end + 1)];
        settings.push({ scope, file, key, value });
    }
    return settings;
}
