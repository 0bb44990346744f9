import path from "node:path";
import { leavesFolder, resolveRealPath } from "../../base/paths.js";
import type { Spent } from "../../core/costs/ledger.js";
import type { Environment } from "../../core/message/user-content.js";
import { localDay } from "../../storage/costs/cost-record.js";
import type { Surroundings } from "../surroundings.js";
import { hostKey, type RunGrants } from "../../core/approval/policy.js";
import { valuesOf } from "../../core/registry/registry.js";
import type { McpServers, Mode, Provider, ThinkingChoice } from "../../plugin/index.js";
import type { ConversationLog } from "../../core/conversation/conversation-log.js";
import type { EditorFiles } from "../../core/editor-files.js";
import { NorthError } from "../../base/north-error.js";
import { nameOf, resolveModel, type ResolvedModel } from "../../core/registry/models.js";
import { chooseThinking } from "../../core/registry/thinking.js";
import {
    containmentIn,
    policyIn,
    readConfig,
    updateConfig,
    type Config as Settings,
} from "../../storage/config.js";
import { messageOf } from "../../base/system-error.js";
import type { Policy } from "../../storage/policy.js";
import { openLog } from "../../storage/files/log-file.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import { type ChatFlags, modeIn } from "../command-line/chat-flags.js";
import { chooseModel, fallbackModels, unchosenServers } from "../models/choose-model.js";
import { missingPluginNotices } from "../models/missing-plugins.js";
import { requireNamedFiles } from "../context/named-file.js";
import { type Connections, createConnections, keysIn } from "../models/connections.js";
import { createProviderKeys } from "../models/login.js";
import {
    openResumedLog,
    resumedConversation,
    resumeNotices,
    type ResumedLog,
    rootOfRun,
} from "../conversations/open-conversation.js";
import { systemRuntime } from "../runtime.js";
import { untrustedRootReason } from "../project/project-notices.js";
import { WithheldSecrets } from "../project/withheld-secrets.js";
import { openProject, type Project } from "../project/open-project.js";
import { makeTurn } from "./make-turn.js";
import { HostSession, type SessionOptions } from "./session.js";
import { tellSessionEnd } from "./session-checks.js";
import { sessionServices } from "./session-services.js";

const MAKERS = { makeTurn, tellEnd: tellSessionEnd, servicesOf: sessionServices };

/** One run of the chat or of print mode. */
export interface ConversationRun extends Surroundings {
    readonly flags: ChatFlags;
    readonly prompt?: string;
    /** The id of the conversation to resume. */
    readonly resume?: string;
    /** The key of a run of print mode that must happen only once. */
    readonly once?: string;
    /** The files of the conversation's editor. */
    readonly editor?: EditorFiles;
    readonly mcpServers?: McpServers;
    /** Called in parallel with each request, and awaited before its reply is used. */
    onRequest?(): Promise<void>;
}

/** A session and notices for the user. */
export interface OpenedSession {
    readonly session: HostSession;
    readonly project: Project;
    readonly settings: Settings;
    readonly notices: readonly string[];
    onBug(error: unknown): void;
}

/** Requests before North asks whether to continue. Most tasks need fewer; a loop never ends. */
const ASK_AFTER = 200;

type ModelFallback = (
    providers: readonly Provider[],
    environment: NodeJS.ProcessEnv
) => ResolvedModel;

/** Opens a session. `fallback` chooses the model if none was requested and there is no key. */
export async function openSession(
    run: ConversationRun,
    fallback: ModelFallback
): Promise<OpenedSession> {
    const opened =
        run.resume === undefined
            ? undefined
            : await openResumedLog(createConversationStore(run.directories.data), run.resume);
    try {
        return await sessionOf(run, opened, fallback);
    } catch (error) {
        await opened?.journal.close();
        throw error;
    }
}

async function sessionOf(
    run: ConversationRun,
    opened: ResumedLog | undefined,
    fallback: ModelFallback
): Promise<OpenedSession> {
    const { flags, directories, environment, config } = run;
    const place = await rootOfRun(flags.path, opened?.root, process.cwd());
    const { root } = place;
    const files = await requireNamedFiles(flags.file ?? [], process.cwd());
    const { keys, secrets, log, reported, report } = openRunLog(run, root);
    const settings = await readConfig(directories.config);
    const policy = policyIn(settings);
    if (policy) requireAllowed(flags, policy);
    const opening = await openProject({
        ...place,
        directories,
        environment,
        ...projectSettings(flags, settings),
        ...{ config, secrets, log, report, mcpServers: run.mcpServers },
    });
    const project = await withEditor(opening, run.editor);
    const connections = createConnections(environment, directories.config, keys);
    const resumed = opened && (await resumedConversation(project, opened));
    const providers = valuesOf(project.registry.providers);
    const candidates = candidatesOf(run, settings, resumed);
    const chosen = await chooseModel(candidates, providers, connections, project.registry.problems);
    const model = chosen ?? fallback(providers, environment);
    const thinking = await thinkingOf(flags, model, resumed, connections);
    const mode = modeOf(flags, settings, resumed);
    let reading: Promise<Spent> | undefined;
    const spentBefore = () => (reading ??= allTimeCosts(project, report));
    const configFolder = directories.config;
    const options: SessionOptions = {
        project,
        connections,
        keys: createProviderKeys({ providers, connections, environment, configFolder, report }),
        start: { model, mode, thinking, conversation: resumed, files },
        settings: turnSettings(flags, settings, environment),
        fallbackModels: fallbackModels(settings, providers, report),
        ...{ budget: settings.budget ?? {}, isInteractive: !flags.print },
        tier: flags.tier ?? settings.tier,
        runGrants: await runGrantsOf(run, root, policy),
        answer: await answerCheckOf(flags),
        ...{ policy, runtime: systemRuntime, surroundings: surroundingsOf(place, flags.path) },
        onRequest: async () => void (await Promise.all([run.onRequest?.(), spentBefore()])),
        // Print mode shows no costs; it reads them in parallel, for the warnings only.
        spentBefore: flags.print ? NOTHING_SPENT : await spentBefore(),
        warnings: () => reported.splice(0),
        rememberModel: async (chosen) => {
            await updateConfig(directories.config, { selectedModel: nameOf(chosen) }, report);
        },
    };
    const session = new HostSession(options, MAKERS);
    if (flags.until) session.services.session.until.set({ command: flags.until, maxAttempts: 3 });
    const notices = [
        ...(model.notice ? [model.notice] : []),
        ...(place.notice ? [place.notice] : []),
        ...(flags.worktree
            ? [`Working in ${root}; /worktree in the chat merges or removes it.`]
            : []),
        ...(opened?.warnings ?? []),
        ...(resumed ? await resumeNotices(project, resumed) : []),
        ...project.registry.problems,
        ...reported.splice(0),
    ];
    const onBug = (error: unknown) =>
        log.event("error", "bug", { stack: error instanceof Error ? error.stack : String(error) });
    return { session, project, settings, notices, onBug };
}

async function runGrantsOf(
    { flags, environment }: ConversationRun,
    root: string,
    policy: Policy | undefined
): Promise<RunGrants> {
    const isDenied = policy?.isAutomaticAllowed === false;
    return {
        acceptEdits: flags["accept-edits"],
        approveShell: flags["approve-shell"],
        allowedKeys: (flags["allow-host"] ?? []).map(hostKey),
        noAutomatic: isDenied ? policy.refusal("Automatic approval") : undefined,
        asksForEdits: (await untrustedRootReason(root, environment.HOME)) !== undefined,
    };
}

async function answerCheckOf({ "json-schema": given }: ChatFlags) {
    if (given === undefined) return undefined;
    return (await import("../checks/answer-check.js")).answerCheck(given);
}

function limitsOf(flags: ChatFlags, { askAfterRequests = ASK_AFTER }: Settings) {
    const { "max-turns": maxTurns, "max-cost": maxCostUsd } = flags;
    // Print mode cannot ask, and has `--max-turns`.
    return { maxTurns, maxCostUsd, askAfterRequests: flags.print ? undefined : askAfterRequests };
}

/** The project, with the unsaved changes of the conversation's editor. */
async function withEditor(project: Project, editor: EditorFiles | undefined): Promise<Project> {
    if (!editor) return project;
    const { throughEditor } = await import("../project/editor-workspace.js");
    return { ...project, ...throughEditor(project, editor) };
}

const NOTHING_SPENT: Spent = { costUsd: 0, unpricedRequests: 0 };

/** Best effort: past costs must not hold up an answer. */
async function allTimeCosts({ stores }: Project, report: (warning: string) => void) {
    try {
        return await stores.ledger.allTime();
    } catch (error) {
        report(`Earlier costs are not counted: ${messageOf(error)}`);
        return NOTHING_SPENT;
    }
}

/** A flag that cannot count is an error, not a surprise later. */
function requireAllowed(flags: ChatFlags, policy: Policy): void {
    if (flags.model) policy.requireModel(flags.model);
    if (flags.contain) policy.requireMode(flags.contain);
    for (const name of ["accept-edits", "approve-shell"] as const) {
        if (flags[name]) policy.requireAutomatic(`--${name}`);
    }
}

function projectSettings({ contain }: ChatFlags, settings: Settings) {
    const containment = containmentIn(settings);
    return {
        containment: contain ? { ...containment, mode: contain } : containment,
        maxMegabytes: settings.rescueMegabytes,
        hooks: settings.hooks,
        ...{ checks: settings.checks, checkCommands: settings.checkCommands },
        policy: policyIn(settings),
    };
}

function turnSettings(
    flags: ChatFlags,
    settings: Settings,
    { NORTH_RESULTS: set }: NodeJS.ProcessEnv
): SessionOptions["settings"] {
    const {
        exploreModel: nestedModel,
        results = "text",
        webSearch: allowsWebSearch = false,
    } = settings;
    const format = set || results;
    if (format !== "json" && format !== "text") {
        throw new NorthError("invalid-usage", `NORTH_RESULTS is neither text nor json: ${format}`);
    }
    return { limits: limitsOf(flags, settings), results: format, nestedModel, allowsWebSearch };
}

/** Opens the log of this run, without known secrets, and collects warnings for the user. */
function openRunLog({ flags, directories, environment, config }: ConversationRun, root: string) {
    const keys = new Set(keysIn(environment, directories.config));
    const secrets = new WithheldSecrets({ root, environment, keys });
    const log = openLog({
        stateFolder: directories.state,
        level: flags["log-level"],
        redact: secrets,
    });
    log.event("info", "app_start", { version: config.version, projectPath: root });
    const reported: string[] = [];
    const report = (warning: string) => {
        log.event("error", "damage_survived", { warning });
        reported.push(warning);
    };
    return { keys, secrets, log, reported, report };
}

function surroundingsOf(
    { root, isRepository }: Pick<Project, "root" | "isRepository">,
    start = process.cwd()
): Environment {
    const folder = path.relative(root, resolveRealPath(start) ?? root);
    return {
        ...{ root, isRepository, platform: process.platform, date: localDay(Date.now()) },
        ...(folder !== "" && !leavesFolder(folder) && { folder }),
    };
}

function candidatesOf(
    { flags }: ConversationRun,
    { selectedModel }: Settings,
    conversation: ConversationLog | undefined
) {
    const state = conversation?.state;
    return {
        flag: flags.model,
        // Unknown if the log has lost its first line.
        conversation: state?.model ? `${state.provider}/${state.model}` : undefined,
        remembered: selectedModel,
    };
}

/** `--mode`, else that of an open draft, else the configured one. */
function modeOf(flags: ChatFlags, settings: Settings, resumed: ConversationLog | undefined): Mode {
    const hasDraft = resumed !== undefined && resumed.state.draft.view.size > 0;
    return modeIn(flags) ?? (hasDraft ? "draft" : (settings.mode ?? "agent"));
}

/** `--thinking`, else what the model's name says, else the conversation's setting. */
async function thinkingOf(
    flags: ChatFlags,
    resolved: ResolvedModel,
    conversation: ConversationLog | undefined,
    connections: Connections
): Promise<ThinkingChoice> {
    if (flags.thinking !== undefined) {
        const { model } = await connections.completed(resolved);
        return chooseThinking(flags.thinking, model);
    }
    if (conversation && flags.model === undefined) return conversation.state.thinking;
    return { on: resolved.thinks };
}

export function offlineModel(providers: readonly Provider[]): ResolvedModel {
    return resolveModel("offline", providers);
}

/** Throws `no-api-key`; `otherSteps` do without a key. */
function refuseWithoutKey(...otherSteps: readonly string[]) {
    return (providers: readonly Provider[], environment: NodeJS.ProcessEnv): never => {
        const unchosen = unchosenServers(providers, environment);
        const hasKey = unchosen.length > 0;
        const sentence = hasKey ? "No model is chosen." : "There is no API key for any model.";
        throw new NorthError("no-api-key", sentence, [
            ...missingPluginNotices(providers, environment),
            ...unchosen,
            "Set ANTHROPIC_API_KEY, or run `north login anthropic`.",
            ...otherSteps,
        ]);
    };
}

export const noModel = refuseWithoutKey("`--model offline` needs no key.");

/** For what the offline model cannot do. */
export const noRealModel = refuseWithoutKey();
