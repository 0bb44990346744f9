import type { FileDiff } from "../../core/approval/approver.js";
import type { ChangeSet, FileChange } from "../../plugin/index.js";

/** Lines shown around a change; changes that are no further apart than twice this are one hunk. */
const CONTEXT = 3;
/** The search for the smallest difference is quadratic; beyond this a file is one hunk. */
const MAX_EDIT_LENGTH = 20_000;

/** A part of a change that can be taken or left. */
export interface Hunk {
    readonly path: string;
    /** `@@ -1,3 +1,4 @@` */
    readonly header: string;
    /** The hunk as a review shows it. */
    readonly diff: FileDiff;
}

/** A change set taken apart. */
export interface SplitChanges {
    readonly hunks: readonly Hunk[];
    /** What the change set is with only these hunks; without changes when there is none left. */
    compose(accepted: ReadonlySet<Hunk>): ChangeSet;
}

/** Lines (with their ends) that stand before and after; the same where no hunk is named. */
interface Piece {
    readonly before: readonly string[];
    readonly after: readonly string[];
    readonly hunk?: number;
}

interface SplitFile {
    readonly hunks: readonly Hunk[];
    compose(accepted: ReadonlySet<Hunk>): FileChange | undefined;
}

/**
 * Takes changes apart into hunks. A file that is created, deleted or no text is one hunk. Bytes are
 * compared as bytes, so that line ends, marks and a missing last newline survive as they are.
 */
export async function splitChanges(
    changeSet: ChangeSet,
    diffs: readonly FileDiff[]
): Promise<SplitChanges> {
    const { diffArrays } = await import("diff");
    const compare = (before: string[], after: string[]) =>
        diffArrays(before, after, { maxEditLength: MAX_EDIT_LENGTH });
    const files = changeSet.changes.map((change, index) =>
        splitFile(change, diffs[index], compare)
    );
    return {
        hunks: files.flatMap(({ hunks }) => hunks),
        compose: (accepted) => ({
            changes: files.flatMap((file) => file.compose(accepted) ?? []),
        }),
    };
}

type Compare = (
    before: string[],
    after: string[]
) => readonly { value: string[]; added: boolean; removed: boolean }[] | undefined;

function splitFile(change: FileChange, shown: FileDiff | undefined, compare: Compare): SplitFile {
    const { before, after } = change;
    const isText = before && after && !before.includes(0) && !after.includes(0);
    const parts = isText ? compare(linesOf(before), linesOf(after)) : undefined;
    const pieces = piecesOf(parts ?? []);
    const hunks = hunksOf(pieces, change.path);
    // Also a change of the mode alone, which no line tells.
    if (hunks.length === 0) return wholeFile(change, shown);
    return {
        hunks,
        compose(accepted) {
            const chosen = hunks.map((hunk) => accepted.has(hunk));
            if (!chosen.includes(true)) return undefined;
            const lines = pieces.flatMap((piece) =>
                piece.hunk === undefined || chosen[piece.hunk] ? piece.after : piece.before
            );
            return { ...change, after: Buffer.from(lines.join(""), "latin1") };
        },
    };
}

function wholeFile(change: FileChange, shown: FileDiff | undefined): SplitFile {
    const { path } = change;
    const nothing = { path, diff: "", linesAdded: 0, linesRemoved: 0, kind: "modified" } as const;
    const hunk: Hunk = { path, header: "(the whole file)", diff: shown ?? nothing };
    return { hunks: [hunk], compose: (accepted) => (accepted.has(hunk) ? change : undefined) };
}

// Each byte one character: nothing is lost, whatever the encoding is.
function linesOf(bytes: Uint8Array): string[] {
    return (
        Buffer.from(bytes)
            .toString("latin1")
            .match(/[^\n]*\n|[^\n]+$/g) ?? []
    );
}

function piecesOf(parts: NonNullable<ReturnType<Compare>>): Piece[] {
    const pieces: Piece[] = [];
    let hunk = -1;
    let distance = Infinity;
    for (const { value, added, removed } of parts) {
        const last = pieces.at(-1);
        if (!added && !removed) {
            pieces.push({ before: value, after: value });
            distance = value.length;
        } else if (last?.hunk !== undefined) {
            const before = removed ? [...last.before, ...value] : last.before;
            pieces[pieces.length - 1] = {
                before,
                after: added ? [...last.after, ...value] : last.after,
                hunk,
            };
        } else {
            if (hunk < 0 || distance > 2 * CONTEXT) hunk += 1;
            pieces.push({ before: removed ? value : [], after: added ? value : [], hunk });
        }
    }
    return pieces;
}

function hunksOf(pieces: readonly Piece[], path: string): Hunk[] {
    const hunks: Hunk[] = [];
    for (let number = 0; ; number += 1) {
        const first = pieces.findIndex(({ hunk }) => hunk === number);
        if (first < 0) return hunks;
        const last = pieces.findLastIndex(({ hunk }) => hunk === number);
        hunks.push(hunkOf(pieces, first, last, path));
    }
}

function hunkOf(pieces: readonly Piece[], first: number, last: number, path: string): Hunk {
    const above = first > 0 ? (pieces[first - 1]?.before.slice(-CONTEXT) ?? []) : [];
    const below = pieces[last + 1]?.before.slice(0, CONTEXT) ?? [];
    const lines = [
        ...above.map((line) => ` ${line}`),
        ...pieces.slice(first, last + 1).flatMap(signedLines),
        ...below.map((line) => ` ${line}`),
    ];
    const added = lines.filter((line) => line.startsWith("+")).length;
    const removed = lines.filter((line) => line.startsWith("-")).length;
    const same = lines.length - added - removed;
    const start = (side: "before" | "after", amount: number): string => {
        const lead = pieces.slice(0, first).reduce((sum, piece) => sum + piece[side].length, 0);
        return `${lead - above.length + (amount > 0 ? 1 : 0)},${amount}`;
    };
    const header = `@@ -${start("before", same + removed)} +${start("after", same + added)} @@`;
    const body = lines.map((line) => (line.endsWith("\n") ? line : `${line}\n${NO_NEWLINE}\n`));
    const text = Buffer.from(body.join(""), "latin1").toString("utf8");
    const counts = { linesAdded: added, linesRemoved: removed };
    return {
        path,
        header,
        diff: { path, diff: `${header}\n${text}`, kind: "modified", ...counts },
    };
}

const NO_NEWLINE = "\\ No newline at end of file";

function signedLines({ before, after, hunk }: Piece): string[] {
    if (hunk === undefined) return before.map((line) => ` ${line}`);
    return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
}
