import path from "node:path";
import { runGit } from "./git.js";

export interface GitSetting {
    /** `system`, `global`, `local` or `worktree`. */
    readonly scope: string;
    /** An absolute path. */
    readonly file: string;
    /** In lower case but for a middle part, as `includeIf.gitdir:~/Work/.path`. */
    readonly key: string;
    readonly value: string;
}

/** Git's settings in a repository, weakest first, without those that North gives git. */
export async function gitConfig(root: string): Promise<readonly GitSetting[]> {
    const listing = ["config", "--list", "--includes", "--show-scope", "--show-origin", "-z"];
    const words = (await runGit(root, listing))?.stdout.toString("utf8").split("\0") ?? [];
    const settings: GitSetting[] = [];
    for (let index = 0; index + 2 < words.length; index += 3) {
        const [scope = "", origin = "", entry = ""] = words.slice(index, index + 3);
        if (scope === "command") continue;
        const file = path.resolve(root, origin.replace(/^file:/, ""));
        const end = entry.indexOf("\n");
        const [key, value] = end < 0 ? [entry, ""] : [entry.slice(0, end), entry.slice(end + 1)];
        settings.push({ scope, file, key, value });
    }
    return settings;
}
