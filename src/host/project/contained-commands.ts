import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Surroundings } from "../surroundings.js";
import { NorthError } from "../../base/north-error.js";
import { isInside, realHome } from "../../base/paths.js";
import { visibleLine } from "../../base/safe-text.js";
import {
    type ContainedOutputs,
    type ContainedResult,
    type ContainedRunOptions,
    type ContainedRuns,
    containsFirst,
    NO_OUTPUTS,
    type ObservedChanges,
    type StartInView,
    type SetVariables,
} from "../../core/approval/contained-runs.js";
import type { ContainedRepository } from "../../core/approval/contained-repository.js";
import type { ContainedProcess, ContainmentMode } from "../../plugin/index.js";
import type { StoredView } from "../../core/draft/view.js";
import type { RepositoryChange, ShownChanges } from "../../shell/containment/containment.js";
import type { ObservedFiles } from "../../shell/containment/observed-files.js";
import {
    describeOpened,
    missingFrom,
    openContainment,
    type Missing,
    type OpenedContainment,
} from "../../shell/containment/open-containment.js";
import type { OwnedShell } from "../../shell/open-shell.js";
import type { ContainmentSettings } from "../../storage/config.js";
import { createRedactor } from "../../storage/files/redact.js";
import type { SharedWorkspace } from "../../workspace/shared-workspace.js";
import { addTrailer } from "../../workspace/apply/add-trailer.js";
import { obstacleTo, applyGitChanges } from "../../workspace/apply/apply-git-changes.js";
import { gitChangesJournal } from "./apply-journal.js";
import { containmentOptions, layerFolders } from "./containment-options.js";
import { ContainmentAttempts } from "./containment-attempts.js";
import { OutputKeeper, type RescueFiles } from "./contained-outputs.js";

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_TIMEOUT_MS = 600_000;
const IGNORE_FILES: ReadonlySet<string> = new Set([".gitignore", ".northignore"]);

/** Where namespaces are missing, contained commands can only read. */
type ContainmentTier = "contained" | "read-only";

/** Files in DATA: what was said once on this machine. */
const TOLD = {
    contained: "containment-introduced",
    "read-only": "read-only-introduced",
    none: "no-containment-told",
} as const;

const DETAILS = "/contain shows details or turns it off; without the chat, --contain off does.";
const INTRODUCTIONS: Readonly<Record<keyof typeof TOLD, string>> = {
    contained: `Commands run contained first: no network, and you review their changes before they apply. ${DETAILS}`,
    "read-only": `Commands run read-only first: they can read the project, but change nothing and reach no network. North asks about those that need more. ${DETAILS}`,
    none: "Commands cannot run contained here, so North asks before each.",
};
const TRIED_AGAIN = "North tries again later, or at once with /contain.";

const NOTHING_OBSERVED: ObservedChanges = { changes: [], files: [], more: 0 };

interface ContainedCommandsOptions extends Omit<Surroundings, "config"> {
    readonly root: string;
    readonly settings: ContainmentSettings;
    readonly shell: OwnedShell;
    readonly workspace: Pick<SharedWorkspace, "isIgnored" | "inView">;
    /** Saves what outputs replace. */
    readonly rescue?: RescueFiles;
    /** In milliseconds; only differences count. */
    readonly now?: () => number;
}

/** Runs a project's commands contained, in the state of its shell. Starts lazily. */
export class ContainedCommands implements ContainedRuns {
    mode: ContainmentMode;
    reachesHosts = false;
    showsViews = false;
    private readonly attempts: ContainmentAttempts;
    private readonly outputs: OutputKeeper;
    private found: keyof typeof TOLD | undefined;
    private observed: ObservedFiles | undefined;
    /** Then nothing runs contained here, which says nothing of the machine. */
    private readonly containsHome: boolean;
    private readonly started = new Set<ContainedProcess>();

    constructor(private readonly options: ContainedCommandsOptions) {
        this.mode = options.settings.mode;
        this.outputs = new OutputKeeper(options.root, options.rescue);
        const { now = () => performance.now() } = options;
        this.attempts = new ContainmentAttempts(() => this.open(), now);
        const home = realHome(options.environment);
        this.containsHome = home !== undefined && isInside(options.root, home);
    }

    async unavailable(): Promise<string | undefined> {
        const opened = await this.attempts.opened();
        return opened.kind === "unavailable" ? opened.reason : undefined;
    }

    /** How commands run. Until the first one has found out, how they did in earlier sessions. */
    get tier(): ContainmentTier | "external" | undefined {
        if (this.mode === "external") return "external";
        if (this.mode === "off" || this.containsHome) return undefined;
        const tiers = ["contained", "read-only"] as const;
        if (this.found !== undefined) return tiers.find((tier) => tier === this.found);
        return tiers.find((tier) => existsSync(this.fileOf(TOLD[tier])));
    }

    async notice(): Promise<string | undefined> {
        const opened = await this.attempts.opened();
        const found = tierOf(opened);
        if (!(await this.isFirst(TOLD[found]))) return undefined;
        return INTRODUCTIONS[found] + causeOf(missingFrom(opened));
    }

    async run(
        command: string,
        folder: string,
        options: ContainedRunOptions
    ): Promise<ContainedResult> {
        if (command.includes("\0")) {
            throw new NorthError("invalid-command", "A command cannot contain a NUL character.");
        }
        const opened = await this.attempts.opened();
        if (opened.kind === "unavailable") {
            throw new NorthError("containment-failed", opened.reason, opened.nextSteps);
        }
        const { shell } = this.options;
        const { cwd, onOutput, timeoutMs = DEFAULT_TIMEOUT_MS, signal, hosts } = options;
        const { isChanged, ...start } = await shell.state(options.isOwn ? "real" : undefined);
        const state = { ...start, folder };
        const run = await opened.containment.run({
            command,
            state,
            timeoutMs: Math.min(Math.max(timeoutMs, 1), MAX_TIMEOUT_MS),
            signal: signal ?? new AbortController().signal,
            onOutput,
            ...(options.holdsOutputs && { holdsOutputs: true }),
            hosts,
            view: options.view && this.shown(options.view),
            draft: options.draft,
            owner: options.owner,
            ...(options.discardsOutputs && { discardsOutputs: true }),
        });
        const { outcome, effects, refusal, notes } = run;
        const stopped = outcome.timedOut ? ["It was stopped; its changes were discarded."] : [];
        return {
            outcome,
            effects,
            outputs: this.outputs.of(run, command),
            ...(run.repository && { repository: this.repositoryOf(run.repository) }),
            ...(isChanged && { shellChanged: true }),
            needs: refusal?.text,
            lacksNetwork: refusal?.what === "network",
            traffic: run.traffic,
            isWhole: refusal?.isSaid ?? refusal === undefined,
            notes: [...notes, ...stopped],
            keep: () => {
                const left = cwd === undefined ? run.folder : undefined;
                const sees = options.draft === undefined ? undefined : "draft";
                shell.keepFromContained(run.variables, left, sees);
                return keptNotes(run.variables);
            },
        };
    }

    readonly start: StartInView = async (command, { view, ...options }) => {
        const { shell, root } = this.options;
        const opened = await this.attempts.opened();
        if (opened.kind === "unavailable" || !containsFirst(this.mode) || !this.showsViews) {
            const reason =
                opened.kind === "unavailable"
                    ? opened.reason
                    : "Here nothing can run contained and see changes.";
            throw new NorthError("containment-failed", reason, ["`north doctor` says why."]);
        }
        const { startProcess } = await import("../../shell/containment/linux/contained-process.js");
        const state = { ...(await shell.state()), folder: root };
        const shown = view && this.shown(view);
        const place = { state, view: shown };
        const started = await startProcess(opened.containment, command, place, options);
        this.started.add(started);
        void started.ended.then(() => this.started.delete(started));
        return started;
    };

    async observe(): Promise<() => Promise<ObservedChanges>> {
        if (this.mode !== "external") return async () => NOTHING_OBSERVED;
        this.observed ??= new (
            await import("../../shell/containment/observed-files.js")
        ).ObservedFiles(this.options.root, layerFolders(this.options.directories));
        return this.observed.observe();
    }

    async outputsOf(draft: string): Promise<ContainedOutputs> {
        const opened = await this.attempts.current;
        if (opened?.kind !== "available") return NO_OUTPUTS;
        const held = await opened.containment.outputsOf?.(draft);
        return held ? this.outputs.of(held, held.command) : NO_OUTPUTS;
    }

    private shown(view: StoredView): ShownChanges {
        const { files, contents } = view;
        const hasRules = [...files.keys()].some((file) => IGNORE_FILES.has(path.basename(file)));
        if (!hasRules) return view;
        const workspace = this.options.workspace.inView({ view: () => files, contents });
        return { ...view, isIgnored: (file, type) => workspace.isIgnored(file, type) };
    }

    private repositoryOf({ plan, shown, files, more, tip }: RepositoryChange): ContainedRepository {
        const { root, directories } = this.options;
        const { index, files: states, moves, ...others } = plan;
        const rest = [...states, ...moves, others.head, others.stash, others.remoteHeads];
        return {
            shown,
            onlyStages: index !== undefined && rest.every((each) => each === undefined),
            look: () => ({ changes: files, more }),
            obstacle: () => obstacleTo(root, plan),
            take: (changes, write) =>
                applyGitChanges(root, plan, gitChangesJournal(directories.data), {
                    changes,
                    write,
                }),
            ...(tip && { addTrailer: (trailer) => addTrailer(root, tip, trailer) }),
        };
    }

    async setVariables(): Promise<SetVariables | undefined> {
        const { shell } = this.options;
        const variables = await shell.setByContained();
        if (variables.size === 0) return undefined;
        const redact = createRedactor([]);
        return {
            shown: [...variables].map(([name, value]) => redact(`${name}=${value}`)),
            shell: {
                get cwd() {
                    return shell.cwd;
                },
                resolve: (cwd) => shell.resolve(cwd),
                run: (command, options) => shell.run(command, { ...options, variables }),
                start: (command, options) => shell.start(command, { ...options, variables }),
            },
        };
    }

    async describe(): Promise<readonly string[]> {
        if (this.mode === "external") return [];
        return describeOpened(await this.attempts.openedAnew());
    }

    async dispose(): Promise<void> {
        for (const each of this.started) each.stop();
        await Promise.all([...this.started].map(({ ended }) => ended));
        await this.observed?.dispose();
        await this.attempts.dispose();
    }

    private async open(): Promise<OpenedContainment> {
        const opened = await openContainment(
            containmentOptions({
                ...this.options,
                isIgnored: (file, type) => this.options.workspace.isIgnored(file, type),
            })
        );
        this.found = tierOf(opened);
        this.reachesHosts = opened.kind === "available" && opened.containment.reachesHosts;
        this.showsViews = opened.kind === "available" && opened.containment.showsViews;
        if (this.containsHome) return opened;
        // The status line of the next session must not use an outdated answer.
        for (const [tier, name] of Object.entries(TOLD)) {
            if (tier !== this.found) await rm(this.fileOf(name), { force: true }).catch(() => {});
        }
        return opened;
    }

    private async isFirst(name: string): Promise<boolean> {
        try {
            await mkdir(this.options.directories.data, { recursive: true });
            await writeFile(this.fileOf(name), "", { flag: "wx" });
            return true;
        } catch {
            return false;
        }
    }

    private fileOf(name: string): string {
        return path.join(this.options.directories.data, name);
    }
}

function keptNotes(variables: ReadonlyMap<string, string | undefined>): readonly string[] {
    const notes = [
        {
            isSet: true,
            is: "set for contained commands only. A real run gets this only if the user approves it",
        },
        { isSet: false, is: "unset for contained commands only" },
    ];
    return notes.flatMap(({ isSet, is }) => {
        const names = [...variables].filter(([, value]) => (value !== undefined) === isSet);
        return names.length > 0
            ? `${names.map(([name]) => visibleLine(name)).join(", ")}: ${is}.`
            : [];
    });
}

function causeOf(missing: Missing | undefined): string {
    if (missing === undefined) return "";
    const next = missing.nextSteps.length > 0 ? "`north doctor` says what to do." : TRIED_AGAIN;
    return `\nNot contained: ${missing.reason} ${next}`;
}

function tierOf(opened: OpenedContainment): keyof typeof TOLD {
    if (opened.kind === "unavailable") return "none";
    return opened.containment.kind === "namespaces" ? "contained" : "read-only";
}
