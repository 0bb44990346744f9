import type { ChangeSet, FileChange, GitChanges } from "../../plugin/index.js";

/** What a contained command did in git's folder, until it is applied or discarded. */
export interface ContainedRepository {
    readonly shown: GitChanges;
    /** Whether it changed nothing but what is staged. */
    readonly onlyStages: boolean;
    /** The first files of its commits with their contents, and how many more there are. */
    look(): { readonly changes: readonly FileChange[]; readonly more: number };
    /** Why it cannot be applied now, as a clause: something changed since it ran. */
    obstacle(): Promise<string | undefined>;
    /**
     * Writes the files beside it, then takes it over, if they were written; a kill leaves both or
     * neither. Rejects like `write`, with `repository-changed` or `git-failed` if nothing was
     * written, or with `only-files-written`.
     */
    take<Outcome extends { readonly kind: string }>(
        changes: readonly FileChange[],
        write: () => Promise<Outcome>
    ): Promise<Outcome>;
    /** Adds a trailer to the one applied commit, if it is one. Rejects with `git-failed`. */
    addTrailer?(trailer: string): Promise<void>;
}

/** Whether nothing but git's folder would change. */
export function hasOnlyCommits({ changes, outputs = [], git }: ChangeSet): boolean {
    return git !== undefined && changes.length + outputs.length === 0;
}

/** Whether nothing but what git ignores would change. */
export function hasOnlyOutputs({ changes, outputs = [], git }: ChangeSet): boolean {
    return git === undefined && changes.length === 0 && outputs.length > 0;
}

/** What a permission for commits is stored as. */
export const COMMITS_KEY = "commits";
