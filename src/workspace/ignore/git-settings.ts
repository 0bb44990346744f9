import { lstat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { runGit } from "../../base/git.js";

export interface GitSettings {
    /** Files with patterns for the whole repository, weakest first. */
    readonly excludeFiles: readonly string[];
    readonly index: string;
    readonly ignoreCase: boolean;
}

/** Asks git; falls back to the default paths without git. */
export async function readGitSettings(root: string): Promise<GitSettings> {
    const [places, settings] = await Promise.all([
        gitPlaces(root),
        runGit(root, [
            "config",
            "--type=path",
            "-z",
            "--get-regexp",
            "^core\\.(excludesfile|ignorecase)$",
        ]),
    ]);
    const values = parseSettings(settings?.stdout.toString("utf8") ?? "");
    const globalExclude = values.get("core.excludesfile") ?? defaultExcludesFile();
    return {
        excludeFiles: [resolve(root, globalExclude), resolve(root, places.exclude)],
        index: resolve(root, places.index),
        ignoreCase: ["true", "yes", "on", "1"].includes(values.get("core.ignorecase") ?? ""),
    };
}

/** Worktrees and submodules (where `.git` is a file) keep these elsewhere. */
async function gitPlaces(root: string): Promise<{ index: string; exclude: string }> {
    const dotGit = await lstat(join(root, ".git")).catch(() => undefined);
    const output = dotGit?.isFile()
        ? await runGit(root, ["rev-parse", "--git-path", "index", "--git-path", "info/exclude"])
        : undefined;
    const [index = ".git/index", exclude = ".git/info/exclude"] =
        output?.stdout.toString("utf8").split("\n").filter(Boolean) ?? [];
    return { index, exclude };
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
