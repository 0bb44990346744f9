import type { FileActivity, Workspace } from "../../plugin/index.js";
import { counted } from "../../base/format.js";
import { isGenerated, sourceFiles } from "./source-files.js";

interface Hotfile {
    readonly path: string;
    /** Higher is more important; only comparable within one result. */
    readonly score: number;
    readonly reason: string;
}

interface Hotfiles {
    readonly files: readonly Hotfile[];
    readonly method: "git" | "fallback";
    /** More files exist than were requested. */
    readonly truncated: boolean;
}

const SETTINGS_OF_GIT = /(^|\/)\.git[^/]*$/;

export async function findHotfiles(
    workspace: Workspace,
    limit: number,
    signal: AbortSignal
): Promise<Hotfiles> {
    const activity = await workspace.activity({ signal });
    const changed = rankedByChange(activity ?? []);
    if (changed.length >= limit) return { ...firstOf(changed, limit), method: "git" };
    const known = new Set(changed.map(({ path }) => path));
    const largest = (await largestSources(workspace, signal)).filter(
        ({ path }) => !known.has(path)
    );
    if (changed.length === 0) return { ...firstOf(largest, limit), method: "fallback" };
    // A young or squashed history says little, so the largest files follow.
    const unchanged = largest.map((file) => ({ ...file, score: 0 }));
    return { ...firstOf([...changed, ...unchanged], limit), method: "git" };
}

function rankedByChange(activity: readonly FileActivity[]): readonly Hotfile[] {
    return activity
        .filter(({ path }) => !isGenerated(path) && !SETTINGS_OF_GIT.test(path))
        .map((file) => ({
            path: file.path,
            // One reformatting must not outweigh steady work.
            score: Math.round(file.commits * (1 + Math.log10(1 + file.linesChanged)) * 10) / 10,
            reason: `${counted(file.commits, "commit")}, ${counted(file.linesChanged, "line")} changed`,
        }))
        .sort((a, b) => b.score - a.score);
}

async function largestSources(
    workspace: Workspace,
    signal: AbortSignal
): Promise<readonly Hotfile[]> {
    return [...(await sourceFiles(workspace, signal))]
        .sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1))
        .map(({ path, size, language }) => ({
            path,
            score: size,
            reason: `${size} bytes of ${language}`,
        }));
}

function firstOf(files: readonly Hotfile[], limit: number): Pick<Hotfiles, "files" | "truncated"> {
    return { files: files.slice(0, limit), truncated: files.length > limit };
}
