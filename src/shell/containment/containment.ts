import type { FileChange } from "../../plugin/change-set.js";
import type { ShellOutcome, ShellRunOptions } from "../../plugin/shell.js";

export interface SessionState {
    /** The real path of the folder to start in. */
    readonly folder: string;
    /** Exported variables, before secrets and access variables are removed. */
    readonly variables: ReadonlyMap<string, string>;
    /** Functions, aliases and options, as bash source. */
    readonly definitions: string;
}

/** A command to run without side effects. */
export interface ContainedRequest extends Pick<ShellRunOptions, "onOutput"> {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly command: string;
    readonly state: SessionState;
}

export interface Effect extends FileChange {
    /** Whether git ignores it, as build output or a dependency. */
    readonly isIgnored: boolean;
}

/** What a command needs that containment denies; completes `needs ...`. */
export interface Refusal {
    readonly what:
        | "network"
        | "hidden-file"
        | "git-directory"
        | "outside"
        | "rights"
        | "size"
        | "kind"
        | "meanwhile";
    /** For example `the network: registry.example:443`. */
    readonly text: string;
}

/** The result of a contained command. Nothing has been applied yet. */
export interface ContainedRun {
    readonly outcome: ShellOutcome;
    /** The real folder the command ended in; the session's own if unknown. */
    readonly folder: string;
    /** Changed exports; `undefined` for those no longer exported. */
    readonly variables: ReadonlyMap<string, string | undefined>;
    readonly effects: readonly Effect[];
    /** Set if the command must run for real; effects and variables are then for display only. */
    readonly refusal?: Refusal;
    /** Notes for the model: what was discarded or hidden. */
    readonly notes: readonly string[];
}

/** Runs commands so that their effects can be reviewed before they are applied. */
export interface Containment {
    readonly kind: "namespaces" | "sandbox-exec";
    /** Rejects with `containment-failed` if the run could not be set up. */
    run(request: ContainedRequest): Promise<ContainedRun>;
    /** Runs a first command; returns what went wrong, to complete "A trial command ...". */
    trial(): Promise<string | undefined>;
    /** Describes what commands can see, one line each. */
    describe(): readonly string[];
    dispose(): Promise<void>;
}

/** User changes to the view; paths are relative to HOME, `~` is allowed. */
export interface ViewSettings {
    readonly show: readonly string[];
    readonly hide: readonly string[];
    readonly limits?: Partial<Limits>;
}

export interface Limits {
    readonly memoryMb: number;
    readonly processes: number;
    /** Files of all kinds, plus output. */
    readonly writtenMb: number;
}

export interface ContainmentOptions {
    readonly root: string;
    readonly environment: NodeJS.ProcessEnv;
    /** Folders that may hold layers, best first; temporary folders are the fallback. */
    readonly layerFolders: readonly string[];
    /** North's own folders, hidden from every command. */
    readonly hiddenFolders: readonly string[];
    readonly settings: ViewSettings;
    readonly isIgnored: (path: string, type: "file" | "dir") => Promise<boolean>;
}

/** A run's folders, relative to the base folder. */
export interface RunFolders {
    readonly run: string;
    /** The command's changes to the project; also relative to the base. */
    readonly project: string;
    readonly git: string;
    readonly home: string;
    readonly exchange: string;
}

/** Where to find the programs that create namespaces; never trust the project's PATH. */
export const SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin";
