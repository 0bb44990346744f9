/** A reference before and after; ids are hexadecimal. */
export interface ReferenceMove {
    /** In full: `refs/heads/main`. */
    readonly name: string;
    /** Absent if it is new. */
    readonly before?: string;
    /** Absent if it was deleted. */
    readonly after?: string;
    /** For the reflog. */
    readonly message: string;
}

/** A commit and the branch that it is the tip of. */
export interface BranchTip {
    /** In full: `refs/heads/main` */
    readonly branch: string;
    readonly commit: string;
}

/** A small file in git's folder that says what a merge or a fetch is about. */
export interface StateFile {
    /** `MERGE_HEAD` */
    readonly name: string;
    /** Latin 1; absent if it is new. */
    readonly before?: string;
    /** Absent if it was deleted. */
    readonly after?: string;
}

/** The code of an error: a command's files were written, but git failed to do the rest. */
export const ONLY_FILES_WRITTEN = "only-files-written";

/** What a contained command did in a repository, ready to be done there. All objects are verified. */
export interface RepositoryPlan {
    /** Without the stash's. */
    readonly moves: readonly ReferenceMove[];
    /** New references to a remote's usual branch, as a first fetch creates: `refs/remotes/origin/HEAD`. */
    readonly remoteHeads?: readonly { readonly name: string; readonly after: string }[];
    /** Where the command saw HEAD lead, if it moved a branch or staged; see `head`. */
    readonly on?: string;
    /** Where HEAD leads: a branch in full, or a commit. */
    readonly head?: { readonly before: string; readonly after: string; readonly message: string };
    readonly stash?: {
        /** The reflog that the command saw. */
        readonly log: string;
        /** `n` of `stash@{n}`, highest first. */
        readonly dropped: readonly number[];
        /** Oldest first. */
        readonly pushed: readonly { readonly id: string; readonly message: string }[];
    };
    readonly index?: {
        readonly file: string;
        /** SHA-256 of the entries that the command saw; see `indexEntries`. */
        readonly before: string;
    };
    readonly files: readonly StateFile[];
    /** New objects; absent if there are none. */
    readonly pack?: string;
}
