import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { runGit } from "../../base/git.js";
import { gitDirectories } from "../../base/git-directory.js";

export interface GitSettings {
    /** Files with patterns for the whole repository, weakest first. */
    readonly excludeFiles: readonly string[];
    readonly index: string;
    readonly ignoreCase: boolean;
}

/** Asks git; falls back to the default paths without git. */
export async function readGitSettings(root: string): Promise<GitSettings> {
    const dotGit = join(root, ".git");
    const { own = dotGit, common = dotGit } = (await gitDirectories(root)) ?? {};
    const named = "^core\\.(excludesfile|ignorecase)$";
    const settings = await runGit(root, ["config", "--type=path", "-z", "--get-regexp", named]);
    const values = parseSettings(settings?.stdout.toString("utf8") ?? "");
    const globalExclude = values.get("core.excludesfile") ?? defaultExcludesFile();
    return {
        excludeFiles: [resolve(root, globalExclude), join(common, "info/exclude")],
        index: join(own, "index"),
        ignoreCase: ["true", "yes", "on", "1"].includes(values.get("core.ignorecase") ?? ""),
    };
}

/** Parses repeated `key LF value NUL`; the last value wins. */
function parseSettings(output: string): ReadonlyMap<string, string> {
    return new Map(
        output
            .split("\0")
            .filter(Boolean)
            .map((entry) => {
                const end = entry.indexOf("\n");
                return end < 0 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
            })
    );
}

function defaultExcludesFile(): string {
    const configuration = process.env.XDG_CONFIG_HOME;
    return join(configuration ? configuration : join(homedir(), ".config"), "git", "ignore");
}

/** Files tracked by git, which are never ignored, whatever the patterns. */
export class TrackedFiles {
    private files: ReadonlySet<string> | undefined;
    private readonly folders = new Set<string>();

    /** `listing` is the output of `git ls-files -z`, parsed lazily. */
    constructor(private readonly listing: Buffer) {}

    isSame(listing: Buffer): boolean {
        return this.listing.equals(listing);
    }

    /** Whether git tracks this file, or anything below this folder. */
    covers(path: string, type: "file" | "dir"): boolean {
        this.files ??= this.read();
        return this.files.has(path) || (type === "dir" && this.folders.has(path));
    }

    private read(): ReadonlySet<string> {
        const files = this.listing.toString("utf8").split("\0").slice(0, -1);
        for (const file of files) {
            let end = file.lastIndexOf("/");
            for (
                ;
                end > 0 && !this.folders.has(file.slice(0, end));
                end = file.lastIndexOf("/", end - 1)
            ) {
                this.folders.add(file.slice(0, end));
            }
        }
        return new Set(files);
    }
}

export const NOTHING_TRACKED = new TrackedFiles(Buffer.alloc(0));
