import path from "node:path";
import type { Surroundings } from "../surroundings.js";
import { messageOf } from "../../base/system-error.js";
import type { ChangeApplier, CommandForecast } from "../../core/agent/turn.js";
import type { Log } from "../../core/log.js";
import type { ReadChecks } from "../../core/history/evidence.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import type { Ledger } from "../../core/costs/ledger.js";
import type { Owned, Registry } from "../../core/registry/registry.js";
import { openShell, type OwnedShell } from "../../shell/open-shell.js";
import type { Policy } from "../../storage/policy.js";
import { type NorthDirectories, projectFolder } from "../../storage/files/directories.js";
import { readHooks } from "../../storage/hook-settings.js";
import { settleProjectFolder } from "../../storage/grants/project-folder.js";
import { createChangeApplier } from "../../workspace/apply/apply-change-set.js";
import {
    recoverInterruptedApply,
    type ApplyJournal,
    type RecoveryReport,
} from "../../workspace/apply/journal.js";
import { openWorkspace } from "../../workspace/open-workspace.js";
import type { SharedWorkspace } from "../../workspace/shared-workspace.js";
import type { Check, McpServers, Shell } from "../../plugin/index.js";
import { builtinSources } from "../context/builtin-sources.js";
import { CachedFacts } from "../context/project-card.js";
import { ProjectContext } from "../context/project-context.js";
import { ContainedCommands } from "./contained-commands.js";
import { layerFolders } from "./containment-options.js";
import type { CheckSetting, ContainmentSettings } from "../../storage/config.js";
import { checkFinder } from "../effects/check-finder.js";
import { forecastCommand } from "../effects/forecast-command.js";
import { keepFiles } from "../effects/rescue.js";
import { completeGitChanges } from "../../workspace/apply/apply-git-changes.js";
import { recoverGitChanges } from "../../workspace/apply/git-changes-journal.js";
import { applyJournal, gitChangesJournal } from "./apply-journal.js";
import { commandsOfRules, projectChecks } from "../checks/project-checks.js";
import { type ProjectStores, storesOf } from "../open-stores.js";
import { loadRegistry } from "./load-plugins.js";
import type { WithheldSecrets } from "./withheld-secrets.js";
import { tmpdir } from "node:os";
import { sweepPrivateFolders } from "../../shell/private-folder.js";
import { sweepTemporaryFiles } from "../../storage/files/atomic-file.js";
import { sweepLocks } from "../../storage/files/file-lock.js";
import { keyVariables } from "../../core/registry/models.js";

/** Everything that belongs to one repository, whatever the conversation. */
export interface Project {
    readonly root: string;
    readonly name: string;
    readonly isRepository: boolean;
    readonly directories: NorthDirectories;
    readonly registry: Registry;
    readonly workspace: SharedWorkspace;
    readonly secrets: WithheldSecrets;
    readonly shell: Pick<OwnedShell, keyof Shell | "inDraft" | "jobs" | "dispose">;
    readonly contained: ContainedCommands;
    forecast(command: string, cwd: string, signal: AbortSignal): Promise<CommandForecast>;
    readonly applier: ChangeApplier;
    /** Settling of a killed North's half-done edits. Never rejects; the first turn waits for it. */
    readonly recovered: Promise<void>;
    /** Removes what a killed North left behind. */
    sweepLeftovers(): Promise<void>;
    readonly stores: ProjectStores;
    /** Stores a text for the user and resolves to its hash. A full disk does not fail the turn. */
    storeOutput(text: string): Promise<string | undefined>;
    readonly context: ProjectContext;
    readonly readChecks: ReadChecks;
    /** Reread for each turn: the user may have allowed a hook of the repository. */
    checks(): Promise<readonly Owned<Check>[]>;
    readonly log: Log;
}

interface ProjectOptions
    extends Surroundings, Pick<Project, "root" | "isRepository" | "log" | "secrets"> {
    readonly containment: ContainmentSettings;
    /** Max size of the files kept for `/rescue` per command. */
    readonly maxMegabytes?: number | undefined;
    /** The user's `hooks` setting, unparsed. */
    readonly hooks: unknown;
    readonly checks?: readonly CheckSetting[] | undefined;
    /** Count as checks, besides common tools. */
    readonly checkCommands?: readonly string[] | undefined;
    readonly policy: Policy | undefined;
    /** MCP servers of the editor that holds the conversation. */
    readonly mcpServers?: McpServers | undefined;
    /** Called with one sentence about each damage that was survived. */
    report(warning: string): void;
}

/** Wires the adapters of one repository together. Starts nothing slow before it is needed. */
export async function openProject(options: ProjectOptions): Promise<Project> {
    const { root, isRepository, directories, environment, config, log, secrets, report } = options;
    const journal = applyJournal(directories.data);
    const recovered = recoverAndReport(journal, options);
    await claimProjectFolder(options);
    const registry = await loadRegistry(config, { root, mcpServers: options.mcpServers });
    const name = path.basename(root) || root;
    const ownFolders = [directories.config, directories.data, directories.state];
    const workspace = openWorkspace({
        root,
        ownFolders,
        useRipgrep: environment.NORTH_DISABLE_RIPGREP !== "1",
    });
    const shell = openShell({ root, environment, withheldVariables: keyVariables(registry) });
    const dataFolder = directories.data;
    const ruleCommands = () => commandsOfRules(workspace);
    const { hooks, problems } = readHooks(options.hooks);
    for (const problem of problems) report(`A hook in config.json does not run. ${problem}.`);
    const stores = storesOf(dataFolder, options, { report, ruleCommands, hooks });
    const { grants, memory, rescues, contents } = stores;
    const contained = new ContainedCommands({
        root,
        directories,
        environment,
        settings: options.containment,
        shell,
        workspace,
        rescue: (files, command) => keepFiles(files, command, { ...options, rescues, contents }),
    });
    return {
        ...{ root, name, isRepository, directories, registry, log, secrets, recovered },
        sweepLeftovers: () => sweepLeftovers(options),
        workspace,
        shell,
        contained,
        forecast: forecaster({ ...options, rescues, contents }),
        applier: createChangeApplier({
            root,
            ownFolders,
            journal,
            onRecovery: (recovery) => reportRecovery(recovery, options),
        }),
        stores: { ...stores, ledger: forgivingLedger(stores.ledger, report) },
        readChecks: checkFinder(root, options.checkCommands),
        storeOutput: (text) => storeText(text, contents, options),
        checks: projectChecks({ ...options, registry, workspace, grants }),
        context: new ProjectContext({
            workspace,
            log,
            sources: [
                ...builtinSources({
                    ...{ name, dataFolder, memory, configFolder: directories.config },
                    facts: new CachedFacts(workspace),
                }),
                ...registry.contextSources,
            ],
        }),
    };
}

function forecaster({
    root,
    isRepository,
    ...kept
}: Pick<ProjectOptions, "root" | "isRepository" | "maxMegabytes"> &
    Pick<ProjectStores, "rescues" | "contents">): Project["forecast"] {
    return async (command, cwd, signal) => {
        const folder = { root, cwd, isRepository };
        const { losses, ...forecast } = await forecastCommand(command, folder, signal);
        return { ...forecast, backUp: () => keepFiles(losses, command, kept) };
    };
}

async function storeText(
    text: string,
    contents: ContentStore,
    { secrets, log }: Pick<ProjectOptions, "secrets" | "log">
): Promise<string | undefined> {
    try {
        return await contents.put(new TextEncoder().encode(secrets.text(text)));
    } catch (error) {
        log.event("error", "output_not_kept", { error: String(error) });
        return undefined;
    }
}

/** On failure only logs: grants of another clone do not count anyway. */
async function claimProjectFolder({
    root,
    directories,
    log,
    report,
}: ProjectOptions): Promise<void> {
    try {
        await settleProjectFolder({ root, dataFolder: directories.data }, report);
    } catch (error) {
        log.event("error", "clone_not_settled", { error: String(error) });
    }
}

/** A paid reply must not be lost because its costs cannot be stored. */
function forgivingLedger(ledger: Ledger, report: (warning: string) => void): Ledger {
    let isReported = false;
    return {
        ...ledger,
        record(cost) {
            try {
                ledger.record(cost);
            } catch (error) {
                if (!isReported) report(`Costs are not recorded: ${messageOf(error)}`);
                isReported = true;
            }
        },
    };
}

type Reporting = Pick<ProjectOptions, "log" | "report" | "directories">;

/** Rolls back or completes the writes of a killed North. On failure, the next edit retries. */
async function recoverAndReport(journal: ApplyJournal, reporting: Reporting): Promise<void> {
    try {
        reportRecovery(await recoverInterruptedApply(journal), reporting);
        const { log, report, directories } = reporting;
        const taken = await recoverGitChanges(
            gitChangesJournal(directories.data),
            completeGitChanges
        );
        const { completed, incomplete } = taken;
        if (completed.length + incomplete.length > 0) {
            log.event("info", "git_recovery_done", { ...taken });
        }
        if (incomplete.length === 0) return;
        report(
            `A kill interrupted what a command did in git in ${incomplete.join(", ")}, and not all ` +
                "of it could be completed: check `git status` and `git reflog` there."
        );
    } catch (error) {
        reporting.log.event("error", "recovery_failed", { error: String(error) });
    }
}

function reportRecovery({ settled, conflicts }: RecoveryReport, { log, report }: Reporting): void {
    if (settled > 0) log.event("info", "recovery_done", { settled, conflicts: conflicts.length });
    if (conflicts.length === 0) return;
    report(
        `An edit was interrupted by a kill, and ${conflicts.join(", ")} changed since: ` +
            "check their content."
    );
}

/** Removes temporary files, locks and folders of dead processes. Never rejects. */
async function sweepLeftovers({
    root,
    directories,
    environment,
}: Pick<ProjectOptions, "root" | "directories" | "environment">): Promise<void> {
    const { data, config } = directories;
    const { XDG_RUNTIME_DIR: runtime = tmpdir() } = environment;
    const folders = [
        config,
        data,
        ...["conversations", "history", "objects", "projects", "rescues"].map((name) =>
            path.join(data, name)
        ),
        projectFolder(data, root),
    ];
    // A folder that is missing or not writable has nothing to sweep.
    await Promise.allSettled([
        ...folders.flatMap((folder) => [sweepTemporaryFiles(folder), sweepLocks(folder)]),
        ...[runtime, ...layerFolders(directories), tmpdir(), "/var/tmp", "/dev/shm"].map(
            sweepPrivateFolders
        ),
    ]);
}
