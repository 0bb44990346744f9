import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { counted } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { linesOf } from "../../core/approval/hunks.js";
import type { AppliedChange, TurnOfChange } from "../../core/history/applied-changes.js";
import { blame } from "../../core/history/blame.js";
import { createObjectStore } from "../../storage/files/object-store.js";
import { currentFile } from "../../workspace/current-file.js";
import { findRoot } from "../../workspace/find-root.js";
import { relativePath } from "../../workspace/safe-path.js";
import { type CommitOfLine, gitBlame } from "./git-blame.js";
import { projectChanges } from "./project-changes.js";

/** How a line came into a file through North. */
export interface LineByNorth {
    readonly turn: TurnOfChange;
    /** Absent where the user did it: an undo, a drop. */
    readonly model?: string;
    readonly approvedBy: "you" | "automatic";
    /** The command that wrote it, contained. */
    readonly command?: string;
    /** When it was written, in milliseconds since 1970. */
    readonly at: number;
}

export interface BlamedLine {
    /** From 1. */
    readonly line: number;
    readonly text: string;
    readonly north?: LineByNorth;
    /** What git says of a line that is not North's. */
    readonly git?: CommitOfLine;
}

export interface BlamedFile {
    readonly root: string;
    readonly path: string;
    readonly lines: readonly BlamedLine[];
    readonly warnings: readonly string[];
}

/** Who wrote which line. `target` is `FILE`, `FILE:LINE` or `FILE:FIRST-LAST`, in `folder`. */
export async function blameFile(
    dataFolder: string,
    target: string,
    folder: string
): Promise<BlamedFile> {
    const { file, first, last } = targetOf(target, folder);
    const { root } = await findRoot(path.dirname(file));
    const place = relativePath(
        root,
        path.join(realpathSync(path.dirname(file)), path.basename(file))
    );
    const current = await currentFile(root, place);
    if (!current) {
        throw new NorthError("not-found", `There is no file ${file}.`, [
            "Name a file of this repository, relative to the current folder.",
        ]);
    }
    if (current.bytes.includes(0)) throw new NorthError("binary-file", `${place} is not text.`);

    const lines = linesOf(current.bytes);
    if (first > Math.max(lines.length, 1)) {
        throw new NorthError("no-such-line", `${place} has only ${counted(lines.length, "line")}.`);
    }
    const { bytes, hash } = current;
    const { changes, warnings } = await projectChanges(dataFolder, root);
    const contents = createObjectStore(dataFolder);
    const { origins, lost } = await blame({ path: place, bytes, hash, changes, contents });
    const wanted = lines.slice(first - 1, last);
    const isForeign = wanted.some((_, index) => !origins[first - 1 + index]);
    const commits = isForeign ? await gitBlame(root, place) : undefined;
    return {
        root,
        path: place,
        lines: wanted.map((line, index) => {
            const [at, origin] = [first - 1 + index, origins[first - 1 + index]];
            const text = Buffer.from(line, "latin1")
                .toString("utf8")
                .replace(/\r?\n$/, "");
            const git = commits?.get(at);
            if (origin) return { line: at + 1, text, north: lineByNorth(origin) };
            return { line: at + 1, text, ...(git ? { git } : {}) };
        }),
        warnings: lost > 0 ? [...warnings, lostWarning(lost)] : warnings,
    };
}

function lostWarning(lost: number): string {
    return `What the file contained at ${lost === 1 ? "one point" : `${lost} points`} of its history is no longer stored; lines from there count as not North's.`;
}

function lineByNorth({ turn, model, decidedBy, change }: AppliedChange): LineByNorth {
    return {
        turn,
        ...(model === undefined ? {} : { model }),
        approvedBy: decidedBy === "policy" ? "automatic" : "you",
        ...(change.command === undefined ? {} : { command: change.command }),
        at: change.at,
    };
}

function targetOf(target: string, folder: string) {
    const whole = { file: path.resolve(folder, target), first: 1, last: Infinity };
    const [, name, from, to] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(target) ?? [];
    if (name === undefined || from === undefined || existsSync(whole.file)) return whole;
    const [first, last] = [Number(from), Number(to ?? from)];
    if (first < 1 || last < first) {
        throw new NorthError("invalid-range", `${target} names no lines.`, [
            "Lines count from 1: `north blame src/a.ts:10-20`.",
        ]);
    }
    return { file: path.resolve(folder, name), first, last };
}
