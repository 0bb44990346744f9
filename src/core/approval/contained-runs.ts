import type { HostAccess, HostTraffic } from "../../base/host-traffic.js";
import type { ContainedRepository } from "./contained-repository.js";
import type {
    ChangedFile,
    ContainmentMode,
    FileChange,
    Output,
    Shell,
    ShellOutcome,
    ShellRunOptions,
    StartContained,
} from "../../plugin/index.js";
import type { StoredView } from "../draft/view.js";

export interface TurnShell extends Shell {
    /** The same shell for commands that see a draft; `hasFolder` takes absolute paths. */
    inDraft?(hasFolder: (folder: string) => Promise<boolean>): Shell;
}

/** The result of a contained command. Nothing has been applied yet. */
export interface ContainedResult {
    readonly outcome: ShellOutcome;
    readonly effects: readonly FileChange[];
    /** What it could not do contained: a sentence without its full stop. */
    readonly needs?: string;
    /** Whether the network is what it needs. */
    readonly lacksNetwork?: boolean;
    /** What it exchanged with hosts, and which were refused, if it had `hosts`. */
    readonly traffic?: readonly HostTraffic[];
    /** Whether its effects are all that it did, although it needed more. */
    readonly isWhole?: boolean;
    /** Notes for the model: what was discarded. */
    readonly notes: readonly string[];
    /** What it left where git ignores it. */
    readonly outputs: ContainedOutputs;
    readonly repository?: ContainedRepository;
    /** Whether it started in a shell in which a name may run another program than at first. */
    readonly shellChanged?: boolean;
    /** Hands its folder and exported variables to later contained commands; returns notes. */
    keep(): readonly string[];
}

/** What a contained command left where git ignores it, until it is kept or discarded. */
export interface ContainedOutputs {
    /** Kept only if that is allowed. */
    readonly asked: readonly Output[];
    /** Notes of known tools for their next run, and empty folders. */
    readonly kept: readonly Output[];
    /** Caches of compiled code. */
    readonly discarded: readonly Output[];
    /** The files of `asked`, relative to the root. */
    readonly paths: readonly string[];
    /** The first files of `asked` with their contents, and how many more there are. */
    look(): { readonly changes: readonly FileChange[]; readonly more: number };
    /**
     * Moves `asked` and `kept` into the project. Resolves to sentences for the user: what was
     * rescued first, and what was left alone because it changed meanwhile. Only with `holdsOutputs`.
     */
    keep(): Promise<readonly string[]>;
    /** Must be called, after `keep` too. */
    release(): Promise<void>;
}

export const NO_OUTPUTS: ContainedOutputs = {
    ...{ asked: [], kept: [], discarded: [], paths: [] },
    look: () => ({ changes: [], more: 0 }),
    keep: async () => [],
    release: async () => {},
};

/** Variables that contained commands set, at one moment. */
export interface SetVariables {
    /** `NAME=value` for the question, secrets redacted. */
    readonly shown: readonly string[];
    /** The session's shell, in which a command starts with exactly these. */
    readonly shell: Shell;
}

export interface ContainedRunOptions extends Pick<
    ShellRunOptions,
    "cwd" | "timeoutMs" | "signal" | "onOutput"
> {
    /** Whether outputs may be kept; the caller then releases them. */
    readonly holdsOutputs?: boolean;
    /** Lets it reach hosts; without, it has no network. */
    readonly hosts?: HostAccess | undefined;
    /**
     * Runs in this view of the project; effects are then changes of the view, and `before` is what
     * it has. Rejects with `containment-failed` where commands can only read.
     */
    readonly view?: StoredView | undefined;
    /**
     * The draft that keeps what git ignores, for as long as North runs: its later runs see what
     * earlier ones built. The outputs of the result are for display; see `outputsOf`.
     */
    readonly draft?: string | undefined;
    /**
     * Security: a check of North's own, which judges what the model did, so that nothing counts that
     * contained commands exported.
     */
    readonly isOwn?: boolean;
    /** Whether the draft keeps nothing of what this run builds. */
    readonly discardsOutputs?: boolean;
    /** Who runs it, if not the session: its runs have a `/tmp` of their own. */
    readonly owner?: object;
}

/** Starts a program that sees the view to begin with. */
export type StartInView = (
    command: string,
    options: Parameters<StartContained>[1] & Pick<ContainedRunOptions, "view">
) => ReturnType<StartContained>;

/** Whether commands run contained first. */
export function containsFirst(mode: ContainmentMode): boolean {
    return mode === "auto" || mode === "required";
}

/** What a command that ran for real changed in the project, ignored files excepted. */
export interface ObservedChanges {
    readonly changes: readonly FileChange[];
    /** The same, as they are recorded. */
    readonly files: readonly ChangedFile[];
    /** How many more there are, which are too much to record. */
    readonly more: number;
}

/** Runs commands contained, where they can do no harm. */
export interface ContainedRuns {
    readonly mode: ContainmentMode;
    /** Whether commands can be given hosts; known once `unavailable` has resolved. */
    readonly reachesHosts?: boolean;
    /** Whether commands can run in a view that changes something; known at the same time. */
    readonly showsViews?: boolean;
    /** Why this machine cannot contain commands; checked on the first call. */
    unavailable(): Promise<string | undefined>;
    /** A notice for the user, given once: that commands run contained, or why not. */
    notice(): Promise<string | undefined>;
    /**
     * What contained commands set and no real one has. Security: a command gets it only if the user
     * approves both together. `undefined` if there is nothing.
     */
    setVariables?(): Promise<SetVariables | undefined>;
    /** `folder`: a real path. Rejects with `containment-failed` if the command could not start. */
    run(command: string, folder: string, options: ContainedRunOptions): Promise<ContainedResult>;
    /** Asks nobody, since nothing that it does is kept. */
    readonly start?: StartInView;
    /**
     * In mode `external`, before a command runs for real. Resolves to what tells afterwards what it
     * changed. Both reject with `git-failed`.
     */
    observe?(): Promise<() => Promise<ObservedChanges>>;
    /** All that runs of a draft left so far, which its later runs see until it is released. */
    outputsOf?(draft: string): Promise<ContainedOutputs>;
}
