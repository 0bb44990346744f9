import { lstat, readdir } from "node:fs/promises";
import { totalmem } from "node:os";
import path from "node:path";
import { NorthError } from "../../../base/north-error.js";
import { PipePool } from "../../pipe-pool.js";
import { removeTree } from "../../private-folder.js";
import { RunningOutput } from "../../running-output.js";
import { stopFlags, stopOf } from "../../stop-reason.js";
import { changedVariables } from "../clean-environment.js";
import type {
    ContainedRequest,
    ContainedRun,
    Containment,
    ContainmentOptions,
    Limits,
    Refusal,
    RunFolders,
} from "../containment.js";
import { readEffects } from "../effects/read-effects.js";
import { findRefusal, type Traces } from "../find-refusal.js";
import { HiddenFiles } from "../hidden-files.js";
import { readLeft, readRefusalWords, writeStart } from "../start-files.js";
import { type LayerOptions, Layers } from "./layers.js";
import { RunLimits } from "./run-limits.js";
import { type Exit, SupervisedRun } from "./supervised-run.js";

const KILLED = 137;
const INTERRUPTED = 130;

export interface NamespaceOptions
    extends LayerOptions, Pick<ContainmentOptions, "isSecret" | "isIgnored"> {
    readonly bash: string;
}

/**
 * Contained runs on Linux, with user, mount, PID, IPC, UTS and network namespaces, and overlays.
 */
export class NamespaceContainment implements Containment {
    readonly kind = "namespaces";
    private readonly layers: Layers;
    private readonly hidden: HiddenFiles;
    private readonly pipes: PipePool;
    private readonly limits: Limits;

    constructor(private readonly options: NamespaceOptions) {
        this.layers = new Layers(options);
        this.pipes = new PipePool(options.base);
        this.limits = { ...standardLimits(), ...options.settings.limits };
        this.hidden = new HiddenFiles(options.root, options.isSecret);
    }

    async run(request: ContainedRequest): Promise<ContainedRun> {
        const foreign = this.layers.foreignMount;
        if (foreign !== undefined) {
            throw failed(`${foreign} is another file system inside the project`);
        }
        const hiddenFiles = this.hidden.list();
        const folders = this.layers.next(hiddenFiles);
        try {
            return await this.runIn(folders, request, hiddenFiles);
        } finally {
            await removeTree(this.at(folders.run));
        }
    }

    describe(): readonly string[] {
        return this.layers.describe(this.hidden.list());
    }

    dispose(): Promise<void> {
        return removeTree(this.options.base);
    }

    private async runIn(
        folders: RunFolders,
        request: ContainedRequest,
        hiddenFiles: readonly string[]
    ): Promise<ContainedRun> {
        const { base, bash, root, gitFolder, isIgnored } = this.options;
        const { state, onOutput, timeoutMs, signal } = request;
        const before = writeStart(this.at(folders.exchange), request.command, state);
        const limits = new RunLimits(this.limits, [this.at(folders.run), this.at("tmp")]);
        const output = await RunningOutput.open(this.pipes, (piece) => {
            limits.print(piece.text.length);
            onOutput?.(piece);
        });
        const began = Date.now();
        const supervised = new SupervisedRun({
            base,
            run: folders.run,
            bash,
            limits: this.limits,
            pipes: output.pipes.map((pipe) => pipe.path),
        });
        const watch = async () => {
            const problem = await supervised.problem();
            if (problem !== undefined) throw failed(problem);
            supervised.begin();
            limits.watch(supervised);
            const exit = supervised.exit();
            const stopped = await stopOf(exit, { timeoutMs, signal });
            limits.end();
            if (stopped) supervised.kill();
            const ended = stopped ? undefined : await exit;
            const durationMs = Date.now() - began;
            const areThere = ended && ((places: readonly Buffer[]) => supervised.areThere(places));
            const own = { root, gitFolder, base, folders, hiddenFiles, began, isIgnored };
            const effects = await readEffects({ ...own, ...(areThere ? { areThere } : {}) });
            supervised.finish();
            await supervised.closed;
            return { stopped, ended, durationMs, effects };
        };
        const { stopped, ended, durationMs, effects } = await watch().finally(() => {
            limits.end();
            output.finish();
            supervised.kill();
            return supervised.closed;
        });
        if (limits.refusal) await this.removeTemporary(began);
        const exitCode = ended?.exitCode ?? (stopped === "cancelled" ? INTERRUPTED : KILLED);
        const outcome = {
            ...output.finish(),
            exitCode,
            durationMs,
            ...stopFlags(stopped),
        };
        const refusal =
            limits.refusal ??
            (ended && this.refusalOf({ ended, outcome, effects }, folders, request, hiddenFiles));
        const left = readLeft(this.at(folders.exchange));
        return {
            outcome,
            folder: left?.folder ?? state.folder,
            variables: left ? changedVariables(before, left.variables) : new Map(),
            effects: effects.changes,
            ...(refusal ? { refusal } : {}),
            notes: effects.notes,
        };
    }

    private refusalOf(
        { ended, outcome, effects }: Pick<Traces, "outcome" | "effects"> & { ended: Exit },
        { exchange }: RunFolders,
        { command, state: { folder } }: ContainedRequest,
        hiddenFiles: readonly string[]
    ): Refusal | undefined {
        return findRefusal({
            outcome,
            effects,
            command,
            counters: ended.counters,
            socket: ended.socket,
            words: readRefusalWords(this.at(exchange)),
            folder,
            home: this.options.home,
            nameHidden: (place) => this.layers.nameHidden(place, hiddenFiles),
        });
    }

    /** What a stopped command wrote counts against no other one. */
    private async removeTemporary(began: number): Promise<void> {
        for (const name of await readdir(this.at("tmp"))) {
            const place = this.at("tmp", name);
            const status = await lstat(place).catch(() => undefined);
            if (status && status.birthtimeMs >= began) await removeTree(place);
        }
    }

    private at(...names: readonly string[]): string {
        return path.join(this.options.base, ...names);
    }
}

function standardLimits(): Limits {
    const memoryMb = Math.max(1024, Math.floor(totalmem() / 1024 ** 2 / 2));
    return { memoryMb, processes: 2048, writtenMb: 4096 };
}

function failed(reason: string): NorthError {
    return new NorthError("containment-failed", `The command could not run contained: ${reason}.`, [
        "`north doctor` says what this machine can do.",
    ]);
}
