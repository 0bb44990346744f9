import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../../base/paths.js";
import { standInFor } from "../../../base/secrets/stand-in.js";
import { PipePool } from "../../pipe-pool.js";
import { quote } from "../../../base/shell-quote.js";
import { removeCreatedSince, removeTree } from "../../private-folder.js";
import { RunningOutput } from "../../running-output.js";
import { stopFlags, stopOf } from "../../stop-reason.js";
import { changedVariables } from "../clean-environment.js";
import type {
    ContainedRequest,
    ContainedRun,
    Containment,
    ContainmentOptions,
    Limits,
} from "../containment.js";
import { findRefusal, type Refused, type Traces } from "../find-refusal.js";
import { HiddenFiles } from "../hidden-files.js";
import { readLeft, readRefusalWords, scriptIn, writeStart } from "../start-files.js";
import { describeReadOnly, nameHidden } from "./describe-view.js";
import { type Landlock, type PathRule, rulesAround } from "./landlock.js";
import { landlockProgram, ruleTable } from "./landlock-program.js";
import { ReadOnlyTrial } from "./read-only-trial.js";
import { refusedWrite } from "./refused-write.js";
import { RunLimits } from "./run-limits.js";
import { SecretsInView } from "./secrets-in-view.js";
import { DEVICES } from "./skeleton.js";
import { SupervisedRun } from "./supervised-run.js";
import { endFolder, exitCodeOf, failed, problemIn, standardLimits } from "./supervision.js";
import { View, type ViewOptions } from "./view.js";

interface ReadOnlyOptions extends ViewOptions, Pick<ContainmentOptions, "settings"> {
    readonly bash: string;
    readonly landlock: Landlock;
}

/**
 * Contained runs on Linux where user namespaces are missing, with Landlock and a seccomp filter.
 * Commands read what they see in namespaces, and write only to a private temporary folder. What this
 * does not restrict: names, sizes and times of any file, and other processes' command lines.
 */
export class ReadOnlyContainment implements Containment {
    readonly kind = "landlock";
    readonly reachesHosts = false;
    readonly showsViews = false;
    private readonly view: View;
    private readonly hidden: HiddenFiles;
    private readonly masked: readonly SecretsInView[];
    private readonly pipes: PipePool;
    private readonly limits: Limits;

    constructor(private readonly options: ReadOnlyOptions) {
        const { root, home, bash, settings } = options;
        this.view = new View(options);
        this.hidden = new HiddenFiles(root, { home });
        this.masked = this.shown
            .filter(({ what }) => what !== "project")
            .map((entry) => new SecretsInView(entry, this.view));
        this.pipes = new PipePool({ bash, folder: undefined });
        this.limits = { ...standardLimits(), ...settings.limits };
        mkdirSync(this.temporary, { mode: 0o700 });
    }

    /** Runs a trial command. Returns what it could do although it must not. */
    async trial(): Promise<string | undefined> {
        const trial = await ReadOnlyTrial.plant(this.options.base);
        return problemIn(trial, this.options.root, (request) => this.run(request));
    }

    async run(request: ContainedRequest): Promise<ContainedRun> {
        if (request.view?.files.size) throw failed("here it can only read what is on disk");
        const run = path.join(this.options.base, randomBytes(12).toString("hex"));
        mkdirSync(run, { mode: 0o700 });
        try {
            return await this.runIn(run, request);
        } finally {
            await removeTree(run);
        }
    }

    describe(): readonly string[] {
        const { root } = this.options;
        const secrets = [...this.hidden.list(), ...this.hidden.gitSettings()];
        const elsewhere = this.masked.flatMap((each) => each.hidden);
        return describeReadOnly(this.view, [
            ...secrets.map((file) => this.view.shortName(path.join(root, file))),
            ...elsewhere.map((location) => this.view.shortName(location)),
        ]);
    }

    dispose(): Promise<void> {
        this.pipes.close();
        return removeTree(this.options.base);
    }

    private async runIn(run: string, request: ContainedRequest): Promise<ContainedRun> {
        const { state, onOutput, timeoutMs, signal } = request;
        const exchange = path.join(run, "exchange");
        mkdirSync(exchange, { mode: 0o700 });
        await Promise.all(this.masked.map((each) => each.refresh()));
        const secrets = await this.hidden.listInSlices();
        const hidden = [...secrets, ...this.hidden.gitSettings()];
        const before = writeStart(
            { folder: exchange, path: exchange, root: this.options.root, first: this.ulimits },
            request,
            this.variables(exchange)
        );
        const limits = new RunLimits(this.limits, [run, this.temporary], "shared");
        const listener = limits.counting(onOutput);
        const script = scriptIn(exchange);
        const output = await RunningOutput.open(this.pipes, { listener, script });
        const began = Date.now();
        const supervised = this.start(run, hidden, output);
        const watch = async () => {
            const problem = await supervised.problem();
            if (problem !== undefined) throw failed(problem);
            supervised.begin();
            limits.watch(supervised);
            const exit = supervised.exit();
            const stopped = await stopOf(exit, { timeoutMs, signal });
            if (stopped) supervised.kill();
            const ended = stopped ? undefined : await exit;
            if (ended) await supervised.closed;
            if (ended) await limits.lookAtEnd();
            return { stopped, ended };
        };
        // oxlint-disable-next-line typescript/no-misused-promises -- finally waits for it
        const { stopped, ended } = await watch().finally(() => {
            limits.end();
            output.finish();
            return supervised.stop();
        });
        if (limits.refusal) await removeCreatedSince(began, this.temporary);
        const outcome = {
            ...output.finish(),
            exitCode: exitCodeOf(ended, stopped),
            durationMs: Date.now() - began,
            ...stopFlags(stopped),
        };
        const left = readLeft(exchange);
        const endedIn = endFolder(this.view, left?.folder);
        const refused = this.refused(run, request, { outcome, endedIn }, secrets);
        const refusal = limits.refusal ?? refused.refusal;
        return {
            outcome,
            folder: endedIn ?? state.folder,
            variables: left ? changedVariables(before, left.variables) : new Map(),
            effects: [],
            outputs: [],
            ...(refusal ? { refusal } : {}),
            notes: refused.notes,
        };
    }

    private refused(
        run: string,
        { command, state: { folder, variables } }: ContainedRequest,
        found: Pick<Traces, "outcome" | "endedIn">,
        secrets: readonly string[]
    ): Refused {
        const words = readRefusalWords(path.join(run, "exchange"));
        const hidden = [...secrets, ...this.masked.flatMap((each) => each.hidden)];
        const hiddenName = (...paths: readonly [string, string]) =>
            nameHidden(this.view, paths, hidden);
        const isHidden = (location: string) => hiddenName(location, location) !== undefined;
        const { outcome, endedIn = folder } = found;
        const refusal = refusedWrite(
            { command, outcome, words, folder: endedIn, isHidden },
            this.view
        );
        if (refusal) return { refusal, notes: [] };
        const { root, home } = this.options;
        return findRefusal({
            ...found,
            effects: { changes: [], notes: [] },
            root,
            command,
            counters: undefined,
            words: { ...words, readOnly: undefined },
            folder,
            variables,
            home,
            nameHidden: hiddenName,
        });
    }

    private start(run: string, hidden: readonly string[], output: RunningOutput): SupervisedRun {
        const { bash, landlock, base } = this.options;
        const program = landlockProgram(landlock);
        if (program === undefined) throw failed(`North does not know ${process.arch}`);
        const rules = path.join(run, "rules");
        const exchange = path.join(run, "exchange");
        writeFileSync(rules, ruleTable(this.rules(exchange, hidden), landlock), { flag: "wx" });
        const script = path.join(exchange, "start");
        // Root gives up what it could do past the rules; others have nothing to give up.
        const withoutRights = ["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"];
        const lower = process.getuid?.() === 0 ? ["setpriv", ...withoutRights] : [];
        const supervised = new SupervisedRun({
            base,
            command: [...lower, "perl", "-e", program, rules, bash, script],
            outputs: output.pipes.map((pipe) => pipe.writer),
        });
        output.release();
        return supervised;
    }

    /** All that may be read, and the little that may be written. */
    private rules(exchange: string, hiddenInProject: readonly string[]): readonly PathRule[] {
        const { root, home, base, hiddenFolders } = this.options;
        const closed = [
            ...(home === undefined ? [] : [home]),
            ...this.view.shown
                .filter(({ way }) => way === "private")
                .map(({ path: location }) => location),
            base,
            ...hiddenFolders,
        ];
        const files = [
            ...hiddenInProject.map((file) => path.join(root, file)),
            ...this.masked.flatMap((each) => each.hidden),
        ];
        const shown = this.shown.flatMap(({ source }) => {
            const isWhole = !closed.some((each) => each !== source && isInside(source, each));
            return [
                ...rulesAround(source, [...files, ...closed.filter((each) => each !== source)]),
                ...(isWhole ? [{ path: source, may: "list" } as const] : []),
            ];
        });
        return [
            ...shown,
            ...[...this.view.files]
                .filter((file) => !this.masksFile(file))
                .map(([, source]) => ({ path: source, may: "read" }) as const),
            { path: "/proc", may: "read" },
            ...DEVICES.map((name) => ({ path: `/dev/${name}`, may: "use-device" }) as const),
            { path: this.temporary, may: "write" },
            { path: exchange, may: "write" },
        ];
    }

    private get shown() {
        return this.view.shown.filter(({ way, what }) => way !== "private" && what !== "home");
    }

    /** Shared by the session's commands, as in namespaces. */
    private get temporary(): string {
        return path.join(this.options.base, "tmp");
    }

    /** Caches in HOME cannot be written, so tools get one that can. */
    private variables(exchange: string): Readonly<Record<string, string>> {
        const caches = { XDG_CACHE_HOME: path.join(this.temporary, "cache") };
        const files = [...this.view.files].filter((file) => this.masksFile(file));
        const hidden = [
            ...files.map(([location]) => location),
            ...this.masked.flatMap((each) => each.gitSettings),
        ];
        return { ...caches, ...gitSettingsInstead(hidden, this.options, exchange) };
    }

    /** Whether a single file that is shown holds a credential, and can only be shown without. */
    private masksFile([location, source]: readonly [string, string]): boolean {
        const content = this.view.contentOf(location, source);
        return content !== "whole" && !content?.equals(readFileSync(source));
    }

    private get ulimits(): string {
        const { writtenMb, memoryMb, processes } = this.limits;
        // All processes of the user count, of which there are no more than all others'; root has no limit.
        const most = { c: 0, f: writtenMb * 1024, d: memoryMb * 1024, u: allThreads() + processes };
        return [
            // One fails where the machine allows less.
            ...Object.entries(most).map(
                ([resource, limit]) => `\\builtin ulimit -${resource} ${limit} 2>/dev/null`
            ),
            `\\builtin export TMPDIR=${quote(this.temporary)}`,
        ].join("\n");
    }
}

/** All threads of the machine; proc_loadavg(5). */
function allThreads(): number {
    const [, all] = /\/(\d+)/.exec(readFileSync("/proc/loadavg", "latin1")) ?? [];
    return Number(all);
}

/**
 * Stand-ins without credentials for the user's and the machine's git settings, which git otherwise
 * could not read and would give up.
 */
function gitSettingsInstead(
    hidden: readonly string[],
    { home = "/" }: ReadOnlyOptions,
    exchange: string
): Readonly<Record<string, string>> {
    const own = [path.join(home, ".config/git/config"), path.join(home, ".gitconfig")];
    const variables: Record<string, string> = {};
    for (const [variable, files] of [
        ["GIT_CONFIG_SYSTEM", ["/etc/gitconfig"]],
        ["GIT_CONFIG_GLOBAL", own],
    ] as const) {
        if (!files.some((file) => hidden.includes(file))) continue;
        const standIns = files.flatMap((file) => standInFor(file, file, true) ?? []);
        const location = path.join(exchange, variable);
        writeFileSync(location, Buffer.concat(standIns), { mode: 0o600, flag: "wx" });
        variables[variable] = location;
    }
    return variables;
}
