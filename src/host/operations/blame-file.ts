import { existsSync } from "node:fs";
import path from "node:path";
import { isBinary } from "../../base/binary.js";
import { counted, firstWords, localMinute } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { lineText, linesOf } from "../../core/diff/hunks.js";
import {
    type AppliedChange,
    type ChangeTurn,
    turnName,
} from "../../core/history/applied-changes.js";
import { blame, type LineOrigin } from "../../core/history/blame.js";
import type { NotedAgent } from "../../core/history/read-note.js";
import { openStores } from "../open-stores.js";
import { currentFile } from "../../workspace/current-file.js";
import { findRoot } from "../../workspace/find-root.js";
import { relativePath } from "../../workspace/safe-path.js";
import { outside } from "../../workspace/tree/outside.js";
import { type CommitOfLine, gitBlame } from "./git-blame.js";
import { notedAgents } from "./git-notes.js";
import { projectChanges } from "./project-changes.js";
import { isInside, resolveRealPath } from "../../base/paths.js";
import { alignColumns } from "../../base/columns.js";
import { showControls, visibleLine } from "../../base/safe-text.js";
import { blobAt } from "../../base/git.js";
import { sha256 } from "../../base/sha256.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";

interface LineByNorth {
    readonly turn: ChangeTurn;
    /** Absent if the user wrote it, by an undo or a drop. */
    readonly model?: string;
    readonly approvedBy: "you" | "automatic";
    /** Approved in the review of the whole draft that the turn worked on. */
    readonly inDraft?: boolean;
    readonly command?: string;
    readonly at: number;
}

interface BlamedLine {
    readonly line: number;
    readonly text: string;
    readonly north?: LineByNorth;
    readonly git?: CommitOfLine;
    /** Who the commit's note says wrote it. */
    readonly noted?: NotedAgent;
}

/** Who wrote each line. `target` is `FILE`, `FILE:LINE` or `FILE:FIRST-LAST`, in `folder`. */
export async function blameFile(dataFolder: string, target: string, folder: string) {
    const { file, first, last } = targetOf(target, folder);
    const real = await folderInOneRepository(path.dirname(file));
    const { root, contents } = await openStores(dataFolder, real);
    const location = relativePath(root, path.join(real, path.basename(file)));
    const current = await currentFile(root, location);
    if (!current) {
        throw new NorthError("not-found", `There is no file ${file}.`, [
            "Give the path of a file in this repository, relative to the current folder.",
        ]);
    }
    if (isBinary(current.bytes)) throw new NorthError("binary-file", `${location} is not text.`);

    const lines = linesOf(current.bytes);
    if (first > Math.max(lines.length, 1)) {
        throw new NorthError(
            "no-such-line",
            `${location} has only ${counted(lines.length, "line")}.`
        );
    }
    const { bytes, hash } = current;
    const { withDrafts: changes, warnings } = await projectChanges(dataFolder, root);
    const { origins, lost } = await blame({ path: location, bytes, hash, changes, contents });
    const wanted = lines.slice(first - 1, last);
    const isForeign = wanted.some((_, index) => !origins[first - 1 + index]);
    const commits = isForeign ? await gitBlame(root, location) : new Map<number, CommitOfLine>();
    const committed = { dataFolder, root, path: location, contents, commits };
    const elsewhere = await originsInWorktrees(committed);
    const agents = await notedAgents(root, commits.values());
    return {
        root,
        path: location,
        lines: wanted.map((line, index): BlamedLine => {
            const at = first - 1 + index;
            const origin = origins[at] ?? elsewhere.get(at);
            const text = lineText(line);
            if (origin) return { line: at + 1, text, north: lineByNorth(origin.change) };
            const git = commits.get(at);
            const noted = git && agents(git);
            return { line: at + 1, text, git, noted };
        }),
        warnings: lost > 0 ? [...warnings, lostWarning(lost)] : warnings,
    };
}

/** Resolves links, but none that leads outside the repository it is in. */
async function folderInOneRepository(folder: string): Promise<string> {
    let real = path.parse(folder).root;
    for (const name of folder.split(path.sep).filter(Boolean)) {
        const next = path.join(real, name);
        const target = resolveRealPath(next) ?? next;
        const { root, isRepository } = target === next ? NO_LINK : await findRoot(real);
        if (isRepository && !isInside(root, target)) throw outside(folder);
        real = target;
    }
    return real;
}

const NO_LINK = { root: "", isRepository: false };

function lostWarning(lost: number): string {
    return `${lost === 1 ? "One version" : `${lost} versions`} of this file ${lost === 1 ? "is" : "are"} no longer stored; lines from there count as not North's.`;
}

function lineByNorth({ turn, model, decidedBy, change, isDrafted }: AppliedChange): LineByNorth {
    return {
        turn,
        model,
        approvedBy: decidedBy === "policy" ? "automatic" : "you",
        ...(isDrafted && { inDraft: true }),
        command: change.command,
        at: change.at,
    };
}

function targetOf(target: string, folder: string) {
    const whole = { file: path.resolve(folder, target), first: 1, last: Infinity };
    const [, name, from, to] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(target) ?? [];
    if (name === undefined || from === undefined || existsSync(whole.file)) return whole;
    const [first, last] = [Number(from), Number(to ?? from)];
    if (first < 1 || last < first) {
        throw new NorthError("invalid-range", `${target} does not name any lines.`, [
            "Line numbers start at 1: `north blame src/a.ts:10-20`.",
        ]);
    }
    return { file: path.resolve(folder, name), first, last };
}

/** Each line after its origin, then a legend of the turns. */
export function blameText({ lines }: Awaited<ReturnType<typeof blameFile>>): string {
    const rows = lines.map((line) => [
        String(line.line),
        ...originCells(line),
        showControls(line.text),
    ]);
    const turns = new Map<string, LineByNorth>();
    for (const { north } of lines) if (north) turns.set(turnName(north.turn), north);
    const legend = [...turns].map(([name, { model, turn }]) =>
        [name, model ?? "you", firstWords(turn.question)].map(visibleLine)
    );
    const parts = [alignColumns(rows, { right: [0] }), alignColumns(legend)];
    return parts
        .filter((part) => part.length > 0)
        .map((part) => part.join("\n"))
        .join("\n\n");
}

function originCells({ north, git, noted }: BlamedLine): readonly [string, string, string] {
    if (north) {
        const { turn, at, approvedBy, inDraft, command } = north;
        const how = [approvedBy, inDraft ? "draft" : [], command === undefined ? [] : "command"]
            .flat()
            .join(", ");
        return [turnName(turn), localMinute(at), how];
    }
    if (git) {
        const agent = noted ? `, ${noted.model} (${noted.tool}, by its note)` : "";
        return [`git ${git.commit}`, localMinute(git.at), visibleLine(git.author + agent)];
    }
    return ["not North", "", ""];
}

interface CommittedFile {
    readonly dataFolder: string;
    readonly root: string;
    readonly path: string;
    readonly contents: ContentStore;
    /** By line index. */
    readonly commits: ReadonlyMap<number, CommitOfLine>;
}

/**
 * The turns behind lines that were written in another worktree and came here in a commit, by line
 * index. Exact: the commit holds the file as a turn there left it.
 */
async function originsInWorktrees(file: CommittedFile): Promise<ReadonlyMap<number, LineOrigin>> {
    const { dataFolder, root, path: location, contents, commits } = file;
    const found = new Map<number, LineOrigin>();
    for (const other of await otherWorktrees(dataFolder, root)) {
        const { changes, withDrafts } = await projectChanges(dataFolder, other);
        const files = changes.flatMap(({ change }) => change.files);
        const written = files.filter((one) => one.path === location && one.afterHash !== null);
        const left = new Set(written.map(({ afterHash }) => afterHash));
        const start = Math.min(...changes.map(({ change }) => change.at));
        for (const commit of left.size === 0 ? [] : commitsSince(start, commits)) {
            const bytes = await blobAt(root, `${commit}:${location}`);
            const hash = bytes && sha256(bytes);
            if (!bytes || hash === undefined || !left.has(hash)) continue;
            const { origins } = await blame({
                ...{ path: location, bytes, hash, contents },
                changes: withDrafts,
            });
            for (const [line, { commit: own, line: there }] of commits) {
                const origin = own === commit ? origins[there] : undefined;
                if (origin) found.set(line, origin);
            }
        }
    }
    return found;
}

/** The main working tree and North's worktrees beside it in which a conversation was, without this one. */
async function otherWorktrees(dataFolder: string, root: string): Promise<readonly string[]> {
    const [, main = root] = /^(.+)\.worktrees\/[^/]+$/.exec(root) ?? [];
    const summaries = await createConversationStore(dataFolder).list();
    const roots = new Set(summaries.map((summary) => summary.root));
    roots.delete(root);
    return [...roots].filter((one) => one === main || path.dirname(one) === `${main}.worktrees`);
}

function commitsSince(start: number, commits: CommittedFile["commits"]): ReadonlySet<string> {
    // Git counts in seconds.
    const later = [...commits.values()].filter(({ at }) => at + 1_000 > start);
    return new Set(later.map(({ commit }) => commit));
}
