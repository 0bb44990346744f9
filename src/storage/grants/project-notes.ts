import type { TrustedHook } from "./hook-grants.js";

/** A project's hooks, checks and notes, which need trust just like permissions. */
export interface ProjectNotes {
    /** The hooks of the user and of the repository that run, or are suspended. */
    hooks(): Promise<readonly TrustedHook[]>;
    /** Paths that these hooks name, relative to the root, even of files that do not exist yet. */
    hookFiles(): Promise<ReadonlySet<string>>;
    /** Whether a rule's command may run contained to check changes. */
    allowsCheck(command: string): Promise<boolean>;
    notes(): Promise<readonly string[]>;
    addNote(text: string): Promise<void>;
    /** Resolves with whether the note existed. */
    removeNote(text: string): Promise<boolean>;
}
