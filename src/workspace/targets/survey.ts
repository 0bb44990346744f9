import { readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { blobId, runGit } from "../../base/git.js";
import { entryAt } from "./find-targets.js";

/** A file or link, and whether git could restore it. */
export interface SurveyedFile {
    /** Absolute. */
    readonly path: string;
    readonly type: "file" | "link";
    readonly size: number;
    readonly mode: number;
    readonly isTracked: boolean;
    /** Whether its content is in git's index or history. */
    readonly isInGit: boolean;
}

interface Survey {
    readonly files: readonly SurveyedFile[];
    /** False if there is more than was examined. */
    readonly isWhole: boolean;
}

interface SurveyOptions {
    readonly root: string;
    /** Whether to descend into folders. */
    readonly isDeep: boolean;
    readonly withoutGit: boolean;
    readonly signal?: AbortSignal;
}

const MAX_ENTRIES = 10_000;
const MAX_BYTES_READ = 100_000_000;
const MAX_PATHSPECS = 200;

/** Examines the files at and below these absolute paths. Follows no links. */
export async function survey(paths: readonly string[], options: SurveyOptions): Promise<Survey> {
    const { root, isDeep, withoutGit, signal } = options;
    const found = new Map<string, Omit<SurveyedFile, "isTracked" | "isInGit">>();
    const waiting = [...paths].reverse();
    let [seen, isWhole] = [0, true];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
        signal?.throwIfAborted();
        seen += 1;
        if (seen > MAX_ENTRIES) {
            isWhole = false;
            break;
        }
        const stats = await entryAt(file);
        const { size = 0, mode = 0 } = stats ?? {};
        if (stats?.isFile()) found.set(file, { path: file, type: "file", size, mode });
        if (stats?.isSymbolicLink()) found.set(file, { path: file, type: "link", size, mode });
        if (!stats?.isDirectory() || !isDeep) continue;
        const names = await readdir(file).catch(() => []);
        for (const name of names.sort().reverse()) {
            if (!withoutGit || name !== ".git") waiting.push(path.join(file, name));
        }
    }
    const tracked = await trackedAt(root, paths, signal);
    const takesGit = [...found.keys()].some((file) =>
        file.startsWith(`${path.join(root, ".git")}/`)
    );
    let bytes = 0;
    const files: SurveyedFile[] = [];
    for (const entry of found.values()) {
        const hash = tracked.get(entry.path);
        bytes += hash === undefined ? 0 : entry.size;
        const isReadable = hash !== undefined && !takesGit && bytes <= MAX_BYTES_READ;
        const isHeld = isReadable && (await blobHash(entry, hash.length)) === hash;
        files.push({ ...entry, isTracked: hash !== undefined, isInGit: isHeld });
    }
    return { files, isWhole };
}

/** Files in git's index, by absolute path, with the hash of their content. */
async function trackedAt(
    root: string,
    paths: readonly string[],
    signal?: AbortSignal
): Promise<Map<string, string>> {
    const inside = paths.filter((file) => file === root || file.startsWith(`${root}/`));
    if (inside.length === 0) return new Map();
    const specs =
        inside.length > MAX_PATHSPECS ? [] : inside.map((file) => path.relative(root, file) || ".");
    const listed = await runGit(
        root,
        ["--literal-pathspecs", "ls-files", "-s", "-z", "--", ...specs],
        { signal }
    );
    const lines = listed?.stdout.toString("utf8").split("\0").slice(0, -1) ?? [];
    return new Map(
        lines.map((line) => {
            const [, hash = ""] = line.split(" ", 2);
            return [path.join(root, line.slice(line.indexOf("\t") + 1)), hash];
        })
    );
}

async function blobHash({ path: file, type }: Pick<SurveyedFile, "path" | "type">, length: number) {
    const content = await (
        type === "link" ? readlink(file, { encoding: "buffer" }) : readFile(file)
    ).catch(() => undefined);
    return content && blobId(content, length);
}

/** Returns the absolute paths that git ignores. */
export async function ignoredOf(root: string, signal?: AbortSignal): Promise<ReadonlySet<string>> {
    const listed = await runGit(root, ["ls-files", "-o", "-i", "--exclude-standard", "-z"], {
        signal,
    });
    const names = listed?.stdout.toString("utf8").split("\0").slice(0, -1) ?? [];
    return new Set(names.map((name) => path.join(root, name)));
}
