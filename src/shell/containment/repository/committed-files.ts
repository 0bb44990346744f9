import { createHash } from "node:crypto";
import { blobId } from "../../../base/git.js";
import { sha256 } from "../../../base/sha256.js";
import { type FileChange, type FileType, fileTypes } from "../../../plugin/change-set.js";
import type { Commit } from "./history.js";
import { COMPARING, decoded, type ObjectReader } from "./layered-git.js";

const SUBMODULE = "160000";
const LINK = "120000";
const EXECUTABLE = "100755";
/** Limits of what is shown. */
const [MAX_FILES, MAX_BYTES] = [500, 5 * 1024 ** 2];

/** What a file of the project, or a link's target, was before a command and is after it. */
export type ProjectContents = (place: string) => readonly ProjectContent[];

interface ProjectContent {
    readonly type: FileType;
    readonly bytes: Uint8Array;
    readonly isExecutable: boolean;
}

/** A file in two trees, as git compares them. */
export interface ComparedFile {
    readonly path: string;
    readonly modes: readonly [before: string, after: string];
    /** Zeros where there is none. */
    readonly ids: readonly [before: string, after: string];
}

/**
 * Compares two trees, or a tree and an index, or what `input` lists. Rejects with `git-failed`,
 * like the others here.
 */
export async function comparedFiles(
    reader: ObjectReader,
    commandLine: readonly string[],
    input?: string
): Promise<readonly ComparedFile[]> {
    const options = ["--raw", "-z", "--no-abbrev", ...COMPARING];
    const [command = "", ...rest] = commandLine;
    const listing = await reader.need([command, ...options, ...rest], input);
    const words = listing.split("\0");
    const files: ComparedFile[] = [];
    for (let index = 0; index + 1 < words.length; index += 2) {
        const header = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(words[index] ?? "");
        const [, modeBefore = "", modeAfter = "", before = "", after = ""] = header ?? [];
        files.push({
            path: decoded(words[index + 1] ?? ""),
            modes: [modeBefore, modeAfter],
            ids: [before, after],
        });
    }
    return files;
}

/** Compares each commit with its first parent. */
export async function comparedCommits(
    reader: ObjectReader,
    commits: readonly Commit[]
): Promise<readonly ComparedFile[]> {
    if (commits.length === 0) return [];
    const pairs = commits.map(({ id, parents: [first = ""] }) => `${id} ${first}`.trim());
    const options = ["diff-tree", "-r", "--no-commit-id", "--root", "--stdin"];
    return comparedFiles(reader, options, [...pairs, ""].join("\n"));
}

/** The empty tree, which every repository has. */
export function emptyTree(id: string): string {
    return createHash(id.length === 64 ? "sha256" : "sha1")
        .update("tree 0\0")
        .digest("hex");
}

/** Whether one of these contents is what was committed. */
export function isSeen(
    { ids: [, id], modes: [, mode] }: ComparedFile,
    contents: readonly ProjectContent[]
): boolean {
    if (/^0+$/.test(id)) return true;
    if (mode === SUBMODULE) return false;
    return contents.some(({ type, bytes, isExecutable }) => {
        if (type !== typeOf(mode)) return false;
        if (mode === EXECUTABLE && !isExecutable) return false;
        return blobId(bytes, id.length) === id;
    });
}

/** The contents of as many files as can be shown. */
export async function changesOf(
    reader: ObjectReader,
    compared: readonly ComparedFile[]
): Promise<{ readonly files: readonly FileChange[]; readonly more: number }> {
    const isBlob = (id: string | undefined, mode: string | undefined): id is string =>
        id !== undefined && !/^0+$/.test(id) && mode !== SUBMODULE;
    const wanted = compared.slice(0, MAX_FILES);
    const ids = wanted.flatMap(({ ids: both, modes }) =>
        both.filter((id, side) => isBlob(id, modes[side]))
    );
    const sizes = await reader.facts("objectsize", ids);
    let bytes = 0;
    const shown = wanted.filter(({ ids: both }) => {
        bytes += both.reduce((sum, id) => sum + Number(sizes.get(id) ?? 0), 0);
        return bytes <= MAX_BYTES;
    });
    const blobs = await blobsOf(reader, new Set(shown.flatMap(({ ids: both }) => both)), sizes);
    const contentOf = (id: string, mode: string) => {
        if (mode === SUBMODULE) return Buffer.from(`Subproject commit ${id}\n`);
        return /^0+$/.test(id) ? null : (blobs.get(id) ?? null);
    };
    const files = shown.map(
        ({ path, ids: [old, fresh], modes: [modeBefore, modeAfter] }): FileChange => {
            const before = contentOf(old, modeBefore);
            const mode = Number.parseInt(modeAfter, 8) & 0o777;
            const isModeChange = before && modeBefore !== modeAfter && mode !== 0;
            return {
                path,
                before,
                beforeHash: before && sha256(before),
                after: contentOf(fresh, modeAfter),
                ...fileTypes(typeOf(modeBefore), typeOf(modeAfter)),
                ...(isModeChange && { mode }),
            };
        }
    );
    return { files, more: compared.length - files.length };
}

function typeOf(mode: string): FileType | undefined {
    if (Number(mode) === 0) return undefined;
    return mode === LINK ? "link" : "file";
}

/** `ID TYPE SIZE\n`, the content and `\n`, for each. */
async function blobsOf(
    reader: ObjectReader,
    ids: ReadonlySet<string>,
    sizes: ReadonlyMap<string, string>
): Promise<ReadonlyMap<string, Buffer>> {
    const wanted = [...ids].filter((id) => sizes.has(id));
    const found = new Map<string, Buffer>();
    if (wanted.length === 0) return found;
    const listing = await reader.need(["cat-file", "--batch"], `${wanted.join("\n")}\n`);
    let at = 0;
    for (const id of wanted) {
        const start = listing.indexOf("\n", at) + 1;
        const end = start + Number(sizes.get(id) ?? 0);
        found.set(id, Buffer.from(listing.slice(start, end), "latin1"));
        at = end + 1;
    }
    return found;
}
