import type { StoredContents } from "../base/stored-contents.js";
import type { ChangedFile, Workspace } from "../plugin/index.js";

export interface Reader {
    /** Called before reading a secret or ignored file; reading is denied if absent. */
    permitSecret?(path: string, reason: "secret" | "ignored"): Promise<boolean>;
    /** Called for each file that is read, or searched by name. */
    onFile?(path: string): void;
}

/** A view of the project that may change with each call. */
export interface ViewSource {
    /** The changes on top of the project, by path; with none it costs nothing. */
    view(): ReadonlyMap<string, ChangedFile>;
    readonly contents: StoredContents;
}

export interface SharedWorkspace extends Workspace {
    /** Returns the same workspace with this reader's callbacks. */
    readBy(reader: Reader): Workspace;
    /** Returns a workspace that answers from a view, by the same rules as if it were on disk. */
    inView(source: ViewSource): SharedWorkspace;
}
