import type { HostAccess, HostTraffic } from "../../base/host-traffic.js";
import type { BranchTip, RepositoryPlan } from "../../base/repository-plan.js";
import type { FileChange, GitChanges } from "../../plugin/change-set.js";
import type { ChangedFile } from "../../plugin/records.js";
import type { ShellOutcome, ShellRunOptions } from "../../plugin/shell.js";
import type { UpstreamAccess } from "./network/upstream.js";

export interface ShellState {
    /** The real path of the folder to start in. */
    readonly folder: string;
    /** Exported variables, before secrets and access variables are removed. */
    readonly variables: ReadonlyMap<string, string>;
    /** Functions, aliases and options, as bash source. */
    readonly definitions: string;
}

/** A command to run without side effects. */
export interface ContainedRequest extends Pick<ShellRunOptions, "onOutput"> {
    /** Whoever asks for the outputs must release them. */
    readonly holdsOutputs?: boolean;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly command: string;
    readonly state: ShellState;
    /** Whose `/tmp` it gets, if no other run has it: the session's by default, `run` for one of its own. */
    readonly owner?: object | "run" | undefined;
    /** Called before it starts, with the folder that it shares with North. Only if `showsViews`. */
    readonly prepare?: (folder: string) => Promise<void>;
    /** Lets it reach hosts; without, it has no network. Only if `reachesHosts`. */
    readonly hosts?: HostAccess | undefined;
    /** What it sees changed in the project. Only if `showsViews`. */
    readonly view?: ShownChanges | undefined;
    /** Keeps outputs for later runs with the same name, and for `outputsOf`. */
    readonly draft?: string | undefined;
    /** Whether the draft keeps none of this run. */
    readonly discardsOutputs?: boolean;
}

/** Changes of the project that are not on disk, by path relative to the root. */
export interface ShownChanges {
    readonly files: ReadonlyMap<string, ChangedFile>;
    readonly contents: { get(hash: string): Promise<Uint8Array> };
    /** Present if ignore files are among them. */
    readonly isIgnored?: ContainmentOptions["isIgnored"];
}

export interface Effect extends FileChange {
    /** Whether git ignores it, as build output or a dependency. */
    readonly isIgnored: boolean;
}

/** A path that a command touched where git ignores it. */
export interface LeftOutput {
    /** Relative to the root. */
    readonly path: string;
    /** The ignored folder, ending with `/`, or the file, as `*.log`; relative to the root. */
    readonly group: string;
    /** A known cache is kept or discarded without a question. */
    readonly way: "ask" | "keep" | "discard";
    /** Absent if it is new. */
    readonly before?: LeftVersion;
    /** Absent if it was deleted. */
    readonly after?: LeftVersion;
}

export interface LeftVersion {
    readonly kind: "file" | "link" | "folder";
    readonly size: number;
    readonly mode: number;
    /** Changes with the file. */
    readonly version: string;
}

/** What a command did in git's folder, as git means it. */
export interface RepositoryChange {
    readonly plan: RepositoryPlan;
    readonly shown: GitChanges;
    /** The other files of its commits, as far as they can be shown. */
    readonly files: readonly FileChange[];
    /** How many more there are. */
    readonly more: number;
    /** Set if one new commit on the checked-out branch is all that moves a reference. */
    readonly tip?: BranchTip;
}

/** Outputs still in their layer. */
interface HeldLayer {
    /** Absolute; holds the outputs and nothing else. */
    readonly folder: string;
    /** Removes what is not to be moved; absent if that is done. */
    prune?(): void;
    release(): Promise<void>;
}

export interface HeldOutputs {
    /** Changes of the project; each run saw the others'. */
    readonly outputs: readonly LeftOutput[];
    /** The last command that left something. */
    readonly command: string;
    /** Runs of the draft see it until it is released. */
    readonly layer: HeldLayer;
}

/** Which ignored paths are reviewed all the same. */
export interface OutputRules {
    /** `links`: new links of the run, relative to the root. */
    reviewed(
        links: readonly { readonly path: string; readonly target: string }[]
    ): Promise<(path: string) => boolean>;
}

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
    /** A sentence without its full stop: `It needs the network: registry.example:443`. */
    readonly text: string;
    /** The host that its error names. */
    readonly host?: string;
    /** Only the command's own words say so; its effects are all that it did. */
    readonly isSaid?: boolean;
}

/** The result of a contained command. Nothing has been applied yet. */
export interface ContainedRun {
    readonly outcome: ShellOutcome;
    /** The real folder the command ended in; the session's own if unknown. */
    readonly folder: string;
    /** Changed exports; `undefined` for those no longer exported. */
    readonly variables: ReadonlyMap<string, string | undefined>;
    readonly effects: readonly Effect[];
    /** What it left where git ignores it; in no order with `effects`. */
    readonly outputs: readonly LeftOutput[];
    /** What it did in git's folder; its files exist as long as the layer. */
    readonly repository?: RepositoryChange;
    /** Present if it was asked for and there are outputs, or something in git's folder. */
    readonly layer?: HeldLayer;
    /** What it exchanged with hosts, and which were refused, if it had `hosts`. */
    readonly traffic?: readonly HostTraffic[];
    /** Set if the command must run for real; effects and variables are then for display only. */
    readonly refusal?: Refusal;
    /** Notes for the model: what was discarded or hidden. */
    readonly notes: readonly string[];
}

/** Runs commands so that their effects can be reviewed before they are applied. */
export interface Containment {
    /** The last two are read-only: a command writes nothing but temporary files. */
    readonly kind: "namespaces" | "sandbox-exec" | "landlock";
    /** Whether commands can be given hosts. */
    readonly reachesHosts: boolean;
    /** Whether commands can run on changes that are not on disk. */
    readonly showsViews: boolean;
    /** Rejects with `containment-failed` if the run could not be set up. */
    run(request: ContainedRequest): Promise<ContainedRun>;
    /** Runs a first command; returns what went wrong, to complete "A trial command ...". */
    trial(): Promise<string | undefined>;
    /** Describes what commands can see, one line each. */
    describe(): readonly string[];
    /** What runs of a draft left; `undefined` if there is nothing. */
    outputsOf?(draft: string): Promise<HeldOutputs | undefined>;
    dispose(): Promise<void>;
}

/** User changes to the view; paths are relative to HOME, `~` is allowed. */
interface ViewSettings {
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
    /** Without them ignored files are changes like any other. */
    readonly outputRules?: OutputRules | undefined;
    /** How hosts are reached. Only tests replace it. */
    readonly reach?: Partial<UpstreamAccess>;
}

/** A run's folders, relative to the base folder. */
export interface RunFolders {
    readonly run: string;
    /** What it sees as `/tmp`. */
    readonly tmp: string;
    /** The command's changes to the project; also relative to the base. */
    readonly project: string;
    readonly git: string;
    readonly home: string;
    readonly exchange: string;
}

/** Where to find the programs that create namespaces; never trust the project's PATH. */
export const SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin";
