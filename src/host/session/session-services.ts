import { NorthError } from "../../base/north-error.js";
import type { CostQuery, Ledger } from "../../core/costs/ledger.js";
import { containsFirst } from "../../core/approval/contained-runs.js";
import { choiceRank, isOffered, isRetired, resolveModel } from "../../core/registry/models.js";
import { OWN_PLUGIN, type Registry, valuesOf } from "../../core/registry/registry.js";
import { chooseThinking } from "../../core/registry/thinking.js";
import type {
    AutomaticApprovals,
    ModelCost,
    SlashPermissions,
    SlashProject,
    SlashServices,
    SlashSession,
    SlashShell,
} from "../../plugin/index.js";
import { UntilCheck, type UntilHost } from "../checks/until-check.js";
import { conversationServices } from "./conversation-services.js";
import { placeInMode } from "./drafted-project.js";
import { noKey } from "../models/connections.js";
import { forgottenKeySentences } from "../models/login.js";
import { declineLearning } from "../../storage/profile.js";
import { learner } from "./learn-project.js";
import type { HostSession, SessionOptions } from "./session.js";

export function sessionServices(session: HostSession): SlashServices {
    const { project, keys } = session.options;
    const { grants } = project.stores;
    const costs = (query: Omit<CostQuery, "by">) => costsByModel(project.stores.ledger, query);
    return {
        ...conversationServices(session),
        session: settingServices(session),
        permissions: {
            approvals: approvalServices(session),
            trust: {
                list: () => grants.unconfirmed(),
                allow: (grant) => grants.confirm(grant),
                decline: (grant) => grants.decline(grant),
            },
        },
        project: projectServices(session),
        shell: shellServices(session.options),
        costs: {
            conversation: () => costs({ conversationIds: [session.conversationId] }),
            allTime: () => costs({}),
        },
        keys: {
            providers: keys.providers.map(({ id }) => id),
            async forget(id = session.model.provider.id) {
                const provider = keys.find(id);
                return forgottenKeySentences(provider, await keys.forget(provider));
            },
        },
        pluginTools: toolsOfPlugins(project.registry),
    };
}

function settingServices(session: HostSession): SlashSession {
    return {
        models: modelServices(session),
        mode: {
            current: () => session.mode,
            select: (mode) => {
                session.mode = mode;
            },
        },
        thinking: {
            current: () => session.thinking,
            select(setting) {
                session.thinking = chooseThinking(setting, session.model.model);
                return session.thinking;
            },
        },
        until: {
            current: () => session.until?.goal,
            set: (goal) => {
                session.until = goal && new UntilCheck(goal, untilHost(session));
            },
        },
    };
}

function projectServices(session: HostSession): SlashProject {
    const { project, runtime } = session.options;
    return {
        memory: project.stores.memory,
        profile: {
            learn: learner(session),
            decline: () => declineLearning(project.directories.data, project.root, runtime.now()),
        },
        review: async (target, options) =>
            (await import("./review-project.js")).reviewChanges(session, target, options),
        race: async (options) => (await import("./race-task.js")).raceTask(session, options),
        worktree: async () =>
            (await import("../operations/worktree.js")).currentWorktree(project.root),
    };
}

function untilHost(session: HostSession): UntilHost {
    return {
        ...session.options.project,
        isInteractive: session.options.isInteractive,
        get contained() {
            const { options, mode, conversation } = session;
            return placeInMode(options.project, mode, conversation.state).contained;
        },
        note: (argumentsText, exitCode) =>
            session.recordCommand({ name: "until", argumentsText, exitCode }),
    };
}

function modelServices(session: HostSession): SlashSession["models"] {
    const { connections, project } = session.options;
    const providers = valuesOf(project.registry.providers);
    return {
        current: () => session.model.model,
        async list() {
            const known = await Promise.all(
                providers.map(async (provider) => ({
                    provider,
                    hasKey: await connections.hasKey(provider),
                }))
            );
            const { provider: chosen, model } = session.model;
            return known
                .filter(({ provider, hasKey }) => isOffered(provider, hasKey))
                .flatMap(({ provider, hasKey }) =>
                    provider.models
                        .filter((each) => !isRetired(each))
                        .map((each) => ({
                            model: each,
                            provider: provider.id,
                            hasKey,
                            isCurrent: provider === chosen && each.id === model.id,
                        }))
                )
                .sort((a, b) => choiceRank(a.model, a.hasKey) - choiceRank(b.model, b.hasKey));
        },
        async select(name) {
            const resolved = resolveModel(name, providers);
            const { provider } = resolved;
            // Refuse now: a model without a key would fail on every message, and in later chats.
            if (!(await connections.hasKey(provider))) throw noKey(provider);
            session.model = resolved;
            void session.completeModel();
            session.thinking = { on: resolved.thinks };
            await session.options.rememberModel(resolved);
            return { ...resolved.model, ...(resolved.notice ? { notice: resolved.notice } : {}) };
        },
    };
}

function shellServices({ project, policy }: SessionOptions): SlashShell {
    const { contained, shell } = project;
    return {
        async contained(command, signal) {
            if (!containsFirst(contained.mode) || (await contained.unavailable())) return undefined;
            const run = await contained.run(command, shell.cwd, { signal });
            const { outcome, effects, needs, outputs } = run;
            const isUnchanged = effects.length === 0 && outputs.asked.length === 0;
            const isWhole = needs === undefined && isUnchanged && !outcome.timedOut;
            return isWhole ? outcome : undefined;
        },
        async run(command, signal) {
            if (contained.mode === "required") {
                throw new NorthError("containment-required", "Commands run only contained here.");
            }
            return shell.run(command, { signal });
        },
        jobs: shell.jobs,
        containment: {
            mode: () => contained.mode,
            setMode: (mode) => {
                policy?.requireMode(mode);
                contained.mode = mode;
            },
            describe: () => contained.describe(),
        },
    };
}

function toolsOfPlugins({ tools }: Registry): SlashServices["pluginTools"] {
    return [...tools]
        .map(([name, { plugin }]) => ({ name, plugin }))
        .filter(({ plugin }) => plugin !== OWN_PLUGIN);
}

async function costsByModel(
    ledger: Ledger,
    query: Omit<CostQuery, "by">
): Promise<readonly ModelCost[]> {
    const rows = await ledger.query({ by: "model", ...query });
    return rows.map((row) => ({ ...row, provider: row.provider ?? "", model: row.key }));
}

const NO_AUTOMATIC: AutomaticApprovals = { editsAutoAccept: false, shellAutoApprove: false };

function approvalServices({ options }: HostSession): SlashPermissions["approvals"] {
    const { runGrants, policy } = options;
    const { grants } = options.project.stores;
    const requireAllowed = (change: Partial<AutomaticApprovals>) => {
        if (Object.values(change).includes(true)) policy?.requireAutomatic("Automatic approval");
    };
    return {
        automatic: async () =>
            policy?.isAutomaticAllowed === false ? NO_AUTOMATIC : grants.snapshot(),
        setAutomatic: async (change) => {
            requireAllowed(change);
            await grants.setAutomatic(change);
        },
        automaticThisRun: () => ({
            editsAutoAccept: runGrants.acceptEdits,
            shellAutoApprove: runGrants.approveShell,
        }),
        setAutomaticThisRun: (change) => {
            requireAllowed(change);
            const { editsAutoAccept, shellAutoApprove } = change;
            runGrants.acceptEdits = editsAutoAccept ?? runGrants.acceptEdits;
            runGrants.approveShell = shellAutoApprove ?? runGrants.approveShell;
        },
        allowedCommands: async () => (await grants.snapshot()).allowedCommands,
        removeCommand: async (command) => {
            await grants.removeCommand(command);
        },
        allowedKeys: async () => (await grants.snapshot()).allowedKeys,
        removeKey: async (key) => {
            await grants.removeKey(key);
        },
    };
}
