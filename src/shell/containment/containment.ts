import type { FileChange } from "../../plugin/change-set.js";
import type { ShellOutcome, ShellRunOptions } from "../../plugin/shell.js";

export interface SessionState {
    /** The real folder to start in. */
    readonly folder: string;
    /** What it exports, before keys and doors are taken out. */
    readonly variables: ReadonlyMap<string, string>;
    /** Functions, aliases and options as bash reads them. */
    readonly definitions: string;
}

/** A command that runs where it can do no harm. */
export interface ContainedRequest extends Pick<ShellRunOptions, "onOutput"> {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly command: string;
    readonly state: SessionState;
}

export interface Effect extends FileChange {
    /** Git ignores it: a build's product, a dependency. */
    readonly isIgnored: boolean;
}

/** What kept a command from doing what it wanted, as an end of `needs ...`. */
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
    /** `the network: registry.example:443` */
    readonly text: string;
}

/** How a contained command went. Nothing of it has happened yet. */
export interface ContainedRun {
    readonly outcome: ShellOutcome;
    /** The real folder where it left the session; its own where it cannot be told. */
    readonly folder: string;
    /** Exported anew; `undefined` where it is no longer exported. */
    readonly variables: ReadonlyMap<string, string | undefined>;
    readonly effects: readonly Effect[];
    /** It must run for real to do what it wants; effects and variables are then only to be looked at. */
    readonly refusal?: Refusal;
    /** What the model should know: what was thrown away or hidden. */
    readonly notes: readonly string[];
}

/** Runs commands so that their effects can be looked at first. */
export interface Containment {
    readonly kind: "namespaces" | "sandbox-exec";
    /** Rejects with `containment-failed` where this run could not be arranged. */
    run(request: ContainedRequest): Promise<ContainedRun>;
    /** What a command sees, a line each. */
    describe(): readonly string[];
    dispose(): Promise<void>;
}

/** What the settings change about it; `~` and paths relative to HOME. */
export interface ViewSettings {
    readonly show: readonly string[];
    readonly hide: readonly string[];
    readonly limits?: Partial<Limits>;
}

export interface Limits {
    readonly memoryMb: number;
    readonly processes: number;
    /** Files of all kinds, and output. */
    readonly writtenMb: number;
}

export interface ContainmentOptions {
    readonly root: string;
    readonly environment: NodeJS.ProcessEnv;
    /** Where layers may be kept, best first; the temporary folder follows. */
    readonly layerFolders: readonly string[];
    /** Folders of North's own, which no command sees. */
    readonly hiddenFolders: readonly string[];
    readonly settings: ViewSettings;
    readonly isSecret: (path: string) => boolean;
    /** Whether git ignores it. */
    readonly isIgnored: (path: string, type: "file" | "dir") => Promise<boolean>;
}

/** The folders of one run, relative to the base. */
export interface RunFolders {
    readonly run: string;
    /** What the command changed, relative to the base too. */
    readonly project: string;
    readonly git: string;
    readonly home: string;
    readonly exchange: string;
}

/** Where the programs lie that make a namespace; the project's own PATH has no say. */
export const SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin";
