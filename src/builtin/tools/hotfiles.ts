import * as Type from "typebox";
import type { FileActivity, PlainTool, Workspace } from "../../plugin/index.js";
import { sizesOf } from "../../code/files/file-sizes.js";
import { isGenerated } from "../../code/files/generated-files.js";
import { languageOfFiles, sourcePaths } from "../../code/files/language-of-files.js";
import { counted } from "./reading/wording.js";
import { success } from "./results.js";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;

const inputSchema = Type.Object(
    {
        limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
        ),
    },
    { additionalProperties: false }
);

export type HotfilesInput = Type.Static<typeof inputSchema>;

/** A file that matters, and why. */
export interface Hotfile {
    readonly path: string;
    /** The larger the more; comparable within one answer only. */
    readonly score: number;
    readonly reason: string;
}

/** The files that matter most, first the first. */
export interface HotfilesData {
    readonly files: readonly Hotfile[];
    readonly method: "git" | "fallback";
    /** There are more than were asked for. */
    readonly truncated: boolean;
}

export const hotfiles: PlainTool<HotfilesInput, HotfilesData> = {
    name: "hotfiles",
    description: "The files that change most in git, or without git the largest source files.",
    approval: "none",
    readOnly: true,
    inputSchema,
    intent: () => "Finding important files",
    summary: (data) => counted(data.files.length, "file"),
    async execute(input, { workspace, signal }) {
        return success(await findHotfiles(workspace, input.limit ?? DEFAULT_LIMIT, signal));
    },
};

/** The files that matter most, at most `limit` of them. */
export async function findHotfiles(
    workspace: Workspace,
    limit: number,
    signal: AbortSignal
): Promise<HotfilesData> {
    const activity = await workspace.activity({ signal });
    const changed = rankedByChange(activity ?? []);
    if (changed.length > 0) return { ...firstOf(changed, limit), method: "git" };
    const largest = await largestSources(workspace, signal);
    return { ...firstOf(largest, limit), method: "fallback" };
}

function rankedByChange(activity: readonly FileActivity[]): readonly Hotfile[] {
    return activity
        .filter(({ path }) => !isGenerated(path))
        .map((file) => ({
            path: file.path,
            score: scoreOf(file),
            reason: `${counted(file.commits, "commit")}, ${counted(file.linesChanged, "line")} changed`,
        }))
        .sort((a, b) => b.score - a.score);
}

/** How often counts more than how much: one reformatting must not outweigh steady work. */
function scoreOf({ commits, linesChanged }: FileActivity): number {
    return Math.round(commits * (1 + Math.log10(1 + linesChanged)) * 10) / 10;
}

async function largestSources(
    workspace: Workspace,
    signal: AbortSignal
): Promise<readonly Hotfile[]> {
    const paths = await sourcePaths(await workspace.files({ signal }));
    const files = await languageOfFiles(await sizesOf(workspace, paths, signal));
    return [...files]
        .sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1))
        .map(({ path, size, language }) => ({
            path,
            score: size,
            reason: `${size} bytes of ${language}`,
        }));
}

function firstOf(
    files: readonly Hotfile[],
    limit: number
): Pick<HotfilesData, "files" | "truncated"> {
    return { files: files.slice(0, limit), truncated: files.length > limit };
}
