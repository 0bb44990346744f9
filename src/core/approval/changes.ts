import { counted } from "../../base/format.js";

/** A point in the history of what the model changed in one clone; opaque. */
export type ChangeMark = string;

/**
 * What the model has changed in one clone, in any session and process: a permission for a command
 * counts until the next change. The user's own edits are not in it.
 */
export interface ChangeHistory {
    /** The present point; `undefined` if it cannot be read. */
    mark(): Promise<ChangeMark | undefined>;
    /** How many files changed after a point; `Infinity` if that is not known. */
    filesSince(mark: ChangeMark | undefined): Promise<number>;
    /**
     * Adds a change, durably, before its files are written: a kill in between may add a change that
     * never happened, but never hides one. `undefined`: nobody knows which files. Resolves to the
     * points right before and right after.
     */
    add(paths: readonly string[] | undefined): Promise<ChangeRange>;
}

export interface ChangeRange {
    readonly before: ChangeMark;
    readonly after: ChangeMark;
}

/** From the start of the first to the end of the second. */
export function joined(first: ChangeRange | undefined, second: ChangeRange | undefined) {
    return first && second ? { before: first.before, after: second.after } : (first ?? second);
}

/** Why a permission does not count now, as a clause. */
export function lapseReason(files: number): string {
    const what = Number.isFinite(files)
        ? `${counted(files, "file")} changed`
        : "files may have changed";
    return `${what} since it was allowed`;
}

/** For changes of a copy of the project, which nothing runs. */
export const NO_CHANGES: ChangeHistory = {
    mark: async () => "",
    filesSince: async () => 0,
    add: async () => ({ before: "", after: "" }),
};
