import type { ChangeSet } from "./change-set.js";

/** Changes that can be undone or redone. */
export interface PlannedUndo {
    readonly changeSet: ChangeSet;
    /** Redoes the last undo. */
    readonly isRedo: boolean;
    /** The changes are those of the draft; the project stays as it is. */
    readonly isDrafted?: true;
    /** What stays of these turns' commands, in sentences: what they left in ignored paths, or did in git. */
    readonly notUndone?: readonly string[];
    /** Applies the changes. Rejects with `changed-since`, having written nothing. */
    apply(): Promise<void>;
}

/** A turn that changed files. */
export interface ChangedTurn {
    /** Number of the user's message, from 1. */
    readonly turn: number;
    /** The message, as typed. */
    readonly question: string;
    /** Milliseconds since 1970. */
    readonly at: number;
    /** Relative to the root. */
    readonly files: readonly string[];
    /** How many of its edits are still in effect, rather than undone or dropped. */
    readonly inEffect: "all" | "some" | "none";
    /** What became of what it drafted; absent if it changed the project itself. */
    readonly draft?: readonly ("drafted" | "applied" | "discarded")[];
    /** This turn as one line of a list. */
    readonly line: string;
}

/** A change that no longer fits because the file has changed since. */
export interface DropConflict {
    readonly path: string;
    /** 1-based; absent if the whole file conflicts. */
    readonly line?: number;
    /** Lines for the user: the location, and the text of each side. */
    readonly text: string;
}

/** A plan to drop one turn's edits and keep later ones. */
export type PlannedDrop =
    | { readonly kind: "ready"; readonly planned: PlannedUndo }
    | { readonly kind: "conflicts"; readonly conflicts: readonly DropConflict[] };

/** The conversation's draft, as it would be written to the current project. */
export interface PlannedDraft {
    readonly changeSet: ChangeSet;
    /** Files that others changed underneath, merged. */
    readonly merged: readonly string[];
    /** Lines that others changed too; with any, `apply` rejects. `text` has both sides. */
    readonly conflicts: readonly DropConflict[];
    /** `5 files +120 -34 · npm test passed on it` */
    readonly line: string;
    /**
     * Resolves to sentences for the user: what outputs of its commands replaced or left alone.
     * Rejects with `draft-conflicts` or `changed-since`, having written nothing.
     */
    apply(): Promise<readonly string[]>;
    /** Drops it; the project stays as it is. */
    discard(): Promise<void>;
}

export interface ShrinkOptions {
    /** Judges by its exit code; runs contained, in drafts. */
    readonly command: string;
    /** Shrink this turn's edits instead of the draft. */
    readonly turn?: number | undefined;
    readonly signal: AbortSignal;
    /** Called with a line after each run. */
    progress(text: string): void;
}

/** What a command needs of a change. */
export interface PlannedShrink {
    /** The hunks that it needs, and those that it does not, in lines. */
    readonly text: string;
    /** Takes out what it does not need; absent if it needs all. */
    readonly planned?: Pick<PlannedUndo, "changeSet" | "apply">;
    /** Asks for that, without the question mark. */
    readonly question: string;
}

/** Edits of this conversation, and files that its commands lost. */
export interface SlashChanges {
    /**
     * Without a number: plans to undo the last change, or to redo it if it was undone. With a
     * number: plans to undo that many of the last turns in effect. Rejects with
     * `nothing-to-undo`, with `no-such-turn` if there are fewer, or with `changed-since` if a file
     * differs from what North wrote.
     */
    planUndo(turns?: number): Promise<PlannedUndo>;
    /**
     * Plans to undo what all turns after one changed in the project; `undefined` if nothing is in
     * effect. Rejects with `changed-since`, or with `nothing-to-rewind` if it is the last turn.
     */
    planRewind(turn: number): Promise<PlannedUndo | undefined>;
    /** The turns of this conversation that changed files, oldest first. */
    turns(): readonly ChangedTurn[];
    /**
     * Plans to drop one turn's edits and keep later ones. Rejects with `no-such-turn` or
     * `nothing-to-drop`.
     */
    planDrop(turn: number): Promise<PlannedDrop>;
    /** Plans to apply or discard the draft; `undefined` if there is none. */
    planDraft(): Promise<PlannedDraft | undefined>;
    /**
     * Finds what a command does not need of the draft or a turn, and plans to take it out. Rejects
     * with `no-draft`, `no-such-turn`, `draft-conflicts`, or with `shrink-impossible` if the command
     * cannot tell.
     */
    planShrink(options: ShrinkOptions): Promise<PlannedShrink>;
    /** Files that commands deleted or overwrote and git does not have, newest last. */
    readonly rescues: {
        list(): Promise<
            readonly { readonly id: string; readonly command: string; readonly line: string }[]
        >;
        /**
         * Restores the files and resolves to their absolute paths. Rejects with
         * `nothing-to-rescue`.
         */
        restore(id: string): Promise<readonly string[]>;
    };
}
