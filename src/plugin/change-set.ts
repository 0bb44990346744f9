/** One file before and after. Contents are bytes: nothing is decoded on the way to the disk. */
export interface FileChange {
    /** Relative to the repository root, with `/`. */
    readonly path: string;
    /** The content the change was computed from; `null` where there is no file. */
    readonly before: Uint8Array | null;
    /** SHA-256 of `before` in hex; `null` where there is no file. Checked again before writing. */
    readonly beforeHash: string | null;
    /** The content to write; `null` deletes the file. */
    readonly after: Uint8Array | null;
    /** Permission bits of the result; the file's own (or the default for a new file) if absent. */
    readonly mode?: number;
}

/**
 * Everything one write tool wants to change. It is reviewed as a whole and applied byte for byte as
 * reviewed, or not at all. At most one change a path.
 */
export interface ChangeSet {
    readonly changes: readonly FileChange[];
}

/** A file that was changed, as it is now on the disk. */
export interface AppliedChange {
    readonly path: string;
    /** SHA-256 in hex; `null` for a deleted file. */
    readonly hash: string | null;
    /** Permission bits; absent where there was no file. */
    readonly modeBefore?: number;
    /** Permission bits; absent where there is no file any more. */
    readonly modeAfter?: number;
}

/** How applying a change set ended. */
export type ApplyOutcome =
    | {
          readonly kind: "applied";
          readonly files: readonly AppliedChange[];
      }
    /** Nothing was written: these files are no longer the ones reviewed. */
    | { readonly kind: "stale"; readonly paths: readonly string[] };

/**
 * Writes reviewed changes. All files or none: each is checked against `beforeHash` and staged
 * before the first is replaced, and what was replaced is put back when a later one fails. Rejects
 * with an `ExpectedError` (`outside-repository`, `protected-path`, `not-a-file`, `disk-full`,
 * `not-writable`).
 */
export interface ChangeApplier {
    /** `announce` is told what is about to be written, once it can be; what it throws prevents it. */
    apply(
        changeSet: ChangeSet,
        announce?: (files: readonly AppliedChange[]) => void
    ): Promise<ApplyOutcome>;
}
