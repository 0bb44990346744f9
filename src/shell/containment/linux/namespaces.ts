import { existsSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../../base/paths.js";
import { PipePool } from "../../pipe-pool.js";
import { removeCreatedSince, removeTree } from "../../private-folder.js";
import { RunningOutput } from "../../running-output.js";
import { stopFlags, stopOf } from "../../stop-reason.js";
import { changedVariables } from "../clean-environment.js";
import type {
    ContainedRequest,
    ContainedRun,
    Containment,
    ContainmentOptions,
    HeldOutputs,
    Limits,
    Refusal,
    RunFolders,
} from "../containment.js";
import { LowerLayers } from "../effects/lower-layers.js";
import { type Effects, readEffects } from "../effects/read-effects.js";
import { findRefusal, type Refused, type Traces } from "../find-refusal.js";
import { HiddenFiles } from "../hidden-files.js";
import { canReachHosts, PROXY_VARIABLES, RunNetwork } from "../network/run-network.js";
import { readLeft, readRefusalWords, scriptIn, writeStart } from "../start-files.js";
import { ChangedLayers, rulesInDraft } from "./changed-layers.js";
import { EXCHANGE_PATH, Layers, type RunLayers } from "./layers.js";
import { type Masked, outermost } from "./mask.js";
import { highestPid, machinesHighestPid } from "./process-limit.js";
import { RunLimits } from "./run-limits.js";
import { SupervisedRun } from "./supervised-run.js";
import { endFolder, exitCodeOf, failed, problemIn, standardLimits } from "./supervision.js";
import { describeView, nameHidden } from "./describe-view.js";
import { Trial } from "./trial.js";
import { View, type ViewOptions } from "./view.js";

const MACHINES_LIMIT = "its limit on processes would be the machine's";

export interface NamespaceOptions
    extends ViewOptions, Pick<ContainmentOptions, "isIgnored" | "outputRules" | "reach"> {
    readonly bash: string;
    /** See `supervisorProgram`. */
    readonly supervisor: string;
}

/**
 * Contained runs on Linux, with user, mount, PID, IPC, UTS and network namespaces, and overlays.
 */
export class NamespaceContainment implements Containment {
    readonly kind = "namespaces";
    readonly reachesHosts = canReachHosts();
    readonly showsViews = true;
    readonly view: View;
    private readonly layers: Layers;
    private readonly changed: ChangedLayers;
    private readonly hidden: HiddenFiles;
    private readonly pipes: PipePool;
    private readonly limits: Limits;

    constructor(private readonly options: NamespaceOptions) {
        this.view = new View(options);
        this.layers = new Layers(this.view);
        this.changed = new ChangedLayers(options.base, options.root);
        this.pipes = new PipePool({ bash: options.bash, folder: undefined });
        this.limits = { ...standardLimits(), ...options.settings.limits };
        this.hidden = new HiddenFiles(options.root, { home: options.home });
    }

    async run(request: ContainedRequest): Promise<ContainedRun> {
        return this.runIn(request);
    }

    /** Runs a trial command. Returns what it could reach although it must not. */
    async trial(): Promise<string | undefined> {
        const trial = await Trial.plant(this.options.base, this.view);
        return problemIn(trial, this.options.root, (request) => this.runIn(request, trial.shown));
    }

    private async runIn(request: ContainedRequest, shown?: string): Promise<ContainedRun> {
        const temporary = this.layers.temporary.take(request.owner);
        try {
            return await this.runWithTemporary(temporary.name, request, shown);
        } finally {
            await temporary.release();
        }
    }

    private async runWithTemporary(
        temporary: string,
        request: ContainedRequest,
        shown: string | undefined
    ): Promise<ContainedRun> {
        const foreign = this.view.foreignMount;
        if (foreign !== undefined) {
            throw failed(`${foreign} is another file system inside the project`);
        }
        const { view, draft } = request;
        await this.layers.refresh();
        const changes = await this.changed.open(view, draft);
        const all = this.hiddenInProject(await this.hidden.listInSlices());
        const hidden = changes?.hidden(all) ?? all;
        const layers = this.layers.next(temporary, hidden, changes, shown);
        const release = () => removeTree(this.at(layers.folders.run));
        let isHeld = false;
        try {
            await request.prepare?.(this.at(layers.folders.exchange));
            const lower = changes?.lower ?? new LowerLayers(this.options.root);
            // oxlint-disable-next-line typescript/no-misused-promises -- finally waits for it
            const run = await this.runWith(layers, request, hidden, lower).finally(() =>
                changes?.release()
            );
            const folder = this.at(layers.folders.project, "upper");
            if (draft !== undefined) {
                if (request.discardsOutputs) return { ...run, outputs: [] };
                const { outputs } = run;
                await this.changed.outputs.keep(draft, folder, { ...request, outputs });
                return run;
            }
            const leaves = run.outputs.length > 0 || run.repository !== undefined;
            isHeld = request.holdsOutputs === true && leaves;
            return isHeld ? { ...run, layer: { folder, release } } : run;
        } finally {
            if (!isHeld) await release();
        }
    }

    describe(): readonly string[] {
        return describeView(this.view, [
            ...this.hiddenInProject(this.hidden.list()).secrets,
            ...this.layers.masked().map((location) => this.view.shortName(location)),
        ]);
    }

    outputsOf(draft: string): Promise<HeldOutputs | undefined> {
        return this.changed.outputs.of(draft);
    }

    dispose(): Promise<void> {
        this.pipes.close();
        return removeTree(this.options.base);
    }

    private async runWith(
        { folders, mounts }: RunLayers,
        request: ContainedRequest,
        masked: Masked,
        lower: LowerLayers
    ): Promise<ContainedRun> {
        const { state, onOutput, timeoutMs, signal, hosts } = request;
        const network = hosts && new RunNetwork(hosts, this.options.reach);
        const exchange = this.at(folders.exchange);
        const shared = { folder: exchange, path: EXCHANGE_PATH, root: this.options.root };
        const before = writeStart(shared, request, moreVariables(request, this.options));
        const limits = this.limitsOf(folders);
        const listener = limits.counting(onOutput);
        const script = scriptIn(EXCHANGE_PATH);
        const output = await RunningOutput.open(this.pipes, { listener, script });
        const began = Date.now();
        const highest = machinesHighestPid();
        const supervised = this.start(folders, output);
        const watch = async () => {
            const problem = await supervised.problem(mounts);
            if (problem !== undefined) throw failed(problem);
            if (machinesHighestPid() !== highest) throw failed(MACHINES_LIMIT);
            await network?.listenIn(supervised.firstProcess);
            supervised.begin();
            limits.watch(supervised, network !== undefined);
            const exit = supervised.exit();
            const waitedMs = () => network?.waited ?? 0;
            const stopped = await stopOf(exit, { timeoutMs, signal, waitedMs });
            if (stopped) supervised.kill();
            const ended = stopped ? undefined : await exit;
            const durationMs = Date.now() - began;
            if (ended) await limits.lookAtEnd();
            limits.end();
            const isOver = ended !== undefined && limits.refusal === undefined;
            const areThere = isOver && ((paths: readonly Buffer[]) => supervised.areThere(paths));
            const own = { ...this.judging(request, masked), folders, began, lower };
            const effects = await readEffects({ ...own, ...(areThere && { areThere }) });
            supervised.finish();
            await supervised.closed;
            return { stopped, ended, durationMs, effects };
        };
        // oxlint-disable-next-line typescript/no-misused-promises -- finally waits for it
        const { stopped, ended, durationMs, effects } = await watch().finally(() => {
            limits.end();
            network?.close();
            output.finish();
            return supervised.stop();
        });
        if (limits.refusal) await removeCreatedSince(began, this.at(folders.tmp));
        const exitCode = exitCodeOf(ended, stopped);
        const outcome = { ...output.finish(), exitCode, durationMs, ...stopFlags(stopped) };
        const traffic = network?.traffic;
        const end = ended ?? { counters: limits.network.counters };
        const left = readLeft(exchange);
        const upper = this.at(folders.project, "upper");
        const endedIn = endFolder(this.view, left?.folder, [...lower.folders, upper]);
        const traces = { ...end, outcome, effects, traffic, endedIn };
        const refused = this.refused(traces, folders, request, masked.secrets);
        const refusal = limits.refusal ?? limits.network.refusal ?? refused.refusal;
        return {
            outcome,
            folder: endedIn ?? state.folder,
            variables: left ? changedVariables(before, left.variables) : new Map(),
            effects: effects.changes,
            ...leftBy(effects, refusal),
            ...(traffic ? { traffic } : {}),
            ...(refusal ? { refusal } : {}),
            notes: [...effects.notes, ...refused.notes],
        };
    }

    private limitsOf({ run, exchange }: RunFolders): RunLimits {
        const written = [this.at(run), this.at("tmp")];
        // The command could make folders of the same names in the exchange, and nowhere else there.
        return new RunLimits(this.limits, written, "own", (folder) => {
            const [layer = "", ...rest] = path.relative(this.at(run), folder).split(path.sep);
            return rest.join() === "work,work" && this.at(run, layer) !== this.at(exchange);
        });
    }

    private start({ run }: RunFolders, output: RunningOutput): SupervisedRun {
        const { base, bash, supervisor } = this.options;
        const { memoryMb, processes, writtenMb } = this.limits;
        const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
        const supervised = new SupervisedRun({
            base,
            command: [
                ...["setpriv", "--pdeathsig=KILL"],
                ...["unshare", "--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc"],
                ...["--uts", "--fork", "--kill-child=KILL"],
                ...["perl", "-e", supervisor],
                ...[run, user, group, bash, writtenMb * 1024, processes, memoryMb * 1024].map(
                    String
                ),
                String(highestPid(processes) ?? ""),
            ],
            outputs: output.pipes.map((pipe) => pipe.writer),
        });
        output.release();
        return supervised;
    }

    private refused(
        found: Pick<Traces, "outcome" | "effects" | "counters" | "socket" | "traffic" | "endedIn">,
        { exchange }: RunFolders,
        { command, state: { folder, variables } }: ContainedRequest,
        hiddenFiles: readonly string[]
    ): Refused {
        const all = [...hiddenFiles, ...this.layers.hidden()];
        return findRefusal({
            ...found,
            root: this.options.root,
            command,
            words: readRefusalWords(this.at(exchange)),
            folder,
            variables,
            home: this.options.home,
            nameHidden: (...paths) => nameHidden(this.view, paths, all),
        });
    }

    /** By which rules the effects of a command are judged. */
    private judging({ command, view, draft }: ContainedRequest, { secrets, gitSettings }: Masked) {
        const { isIgnored, outputRules } = this.options;
        return {
            ...this.options,
            command,
            outputRules: draft === undefined ? outputRules : rulesInDraft(outputRules, view),
            isIgnored: view?.isIgnored ?? isIgnored,
            // What it wrote to settings went to their stand-ins.
            hiddenFiles: [...secrets, ...gitSettings],
            hiddenName: (at: string) => nameHidden(this.view, [at, at], [])?.name,
            keepsCaches: draft !== undefined,
        };
    }

    /** What looks like a secret, and North's own folders. */
    private hiddenInProject(files: readonly string[]): Masked {
        const { root, base, hiddenFolders } = this.options;
        const own = [base, ...hiddenFolders].filter((location) => isInside(root, location));
        const inside = own.map((location) => path.relative(root, location));
        const secrets = outermost([...files, ...inside]);
        return { secrets, gitSettings: this.hidden.gitSettings() };
    }

    private at(...names: readonly string[]): string {
        return path.join(this.options.base, ...names);
    }
}

/** Where go caches, unless HOME has it or another variable leads elsewhere. */
const GO_CACHES = [
    { name: "GOCACHE", place: ".cache/go-build", other: "XDG_CACHE_HOME" },
    { name: "GOMODCACHE", place: "go/pkg/mod", other: "GOPATH" },
] as const;

/** Without caches, go would download and compile everything in each run: `/tmp` lasts for the session. */
function moreVariables(
    { hosts, state: { variables } }: Pick<ContainedRequest, "hosts" | "state">,
    { home }: { readonly home?: string | undefined }
): Record<string, string> {
    const missing = GO_CACHES.filter(({ name, place, other }) => {
        const isShown = home !== undefined && existsSync(path.join(home, place));
        return !isShown && !variables.has(name) && !variables.has(other);
    });
    const caches = missing.map(({ name, place }) => [name, `/tmp/${path.basename(place)}`]);
    return { ...Object.fromEntries(caches), ...(hosts && PROXY_VARIABLES) };
}

/** What it left counts only if nothing is missing. */
function leftBy(
    { outputs, repository }: Effects,
    refusal: Refusal | undefined
): Pick<ContainedRun, "outputs" | "repository"> {
    const isWhole = refusal?.isSaid ?? refusal === undefined;
    return isWhole ? { outputs, ...(repository && { repository }) } : { outputs: [] };
}
