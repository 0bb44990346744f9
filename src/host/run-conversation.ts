import type { Config } from "@oclif/core";
import type { Provider } from "../plugin/index.js";
import { NorthError } from "../plugin/north-error.js";
import { TurnStopped } from "../core/agent/turn.js";
import type { ConversationLog } from "../core/conversation/conversation-log.js";
import { resolveModel, type ResolvedModel } from "../core/registry/models.js";
import { readConfig, updateConfig } from "../storage/config.js";
import type { NorthDirectories } from "../storage/directories.js";
import { openLog } from "../storage/log-file.js";
import { findRoot } from "../workspace/find-root.js";
import type { ChatFlags } from "./chat-flags.js";
import { chooseModel } from "./choose-model.js";
import { createConnections, type Connections } from "./connections.js";
import { resumedConversation } from "./conversation-source.js";
import { realEdges } from "./edges.js";
import { openProject, type Project } from "./open-project.js";
import { HostSession } from "./session.js";

/** One run of the chat or of print mode. */
export interface ConversationRun {
    readonly flags: ChatFlags;
    readonly prompt?: string;
    /** The conversation to go on with, and the root it was recorded in. */
    readonly resume?: { readonly id: string; readonly root: string };
    readonly config: Config;
    readonly directories: NorthDirectories;
    readonly environment: NodeJS.ProcessEnv;
}

/** Opens the project and the conversation, runs it, closes both; resolves with the exit code. */
export async function runConversation(run: ConversationRun): Promise<number> {
    const { flags, directories } = run;
    if (flags.print) {
        const { printConversation } = await import("./print-conversation.js");
        return printConversation(run);
    }
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
        throw new NorthError("not-a-terminal", "The chat needs a terminal.", [
            'Use print mode instead: `north -p "your question"`.',
        ]);
    }
    const { chatConversation } = await import("./chat-conversation.js");
    return chatConversation({ ...run, directories });
}

/** A session and what the user should be told of it. */
export interface OpenedSession {
    readonly session: HostSession;
    readonly project: Project;
    readonly notices: readonly string[];
}

/** Wires a session; `fallback` is used where no model was asked for and there is no key. */
export async function openSession(
    run: ConversationRun,
    fallback: (providers: readonly Provider[]) => ResolvedModel
): Promise<OpenedSession> {
    const { flags, directories, environment, config } = run;
    const { root, isRepository } = await findRoot(flags.path ?? run.resume?.root ?? process.cwd());
    const log = openLog({ stateFolder: directories.state, level: flags["log-level"] });
    log.event("info", "app_start", { version: config.version, projectPath: root });
    const project = await openProject({
        root,
        isRepository,
        directories,
        environment,
        config,
        log,
    });
    const connections = createConnections(environment, directories.config);
    const resumed = run.resume && (await resumedConversation(project, run.resume.id));
    const providers = [...project.registry.providers.values()].map(({ value }) => value);
    const model = await modelOf(run, providers, connections, resumed?.conversation);
    const session = new HostSession({
        project,
        connections,
        ...(resumed ? { conversation: resumed.conversation } : {}),
        model: model ?? fallback(providers),
        mode: flags.mode,
        runGrants: {
            acceptEdits: flags["accept-edits"],
            approveShell: flags["approve-shell"],
        },
        limits: { maxTurns: flags["max-turns"], maxCostUsd: flags["max-cost"] },
        edges: realEdges,
        surroundings: {
            root,
            isRepository,
            platform: process.platform,
            date: new Date().toISOString().slice(0, 10),
        },
        allTimeCostUsd: await project.ledger.allTimeUsd(),
        rememberModel: async ({ provider, model: { id } }) => {
            await updateConfig(directories.config, { selectedModel: `${provider.id}/${id}` });
        },
    });
    const notices = [
        ...(model?.notice ? [model.notice] : []),
        ...(resumed?.warnings ?? []),
        ...pluginNotices(project),
    ];
    return { session, project, notices };
}

async function modelOf(
    { flags, directories }: ConversationRun,
    providers: readonly Provider[],
    connections: Connections,
    conversation: ConversationLog | undefined
): Promise<ResolvedModel | undefined> {
    const { selectedModel } = await readConfig(directories.config);
    const state = conversation?.state;
    const wishes = {
        ...(flags.model === undefined ? {} : { flag: flags.model }),
        ...(state ? { conversation: `${state.provider}/${state.model}` } : {}),
        ...(selectedModel === undefined ? {} : { remembered: selectedModel }),
    };
    return chooseModel(wishes, providers, connections);
}

function pluginNotices({ registry }: Project): readonly string[] {
    if (registry.problems.length === 0) return [];
    return [`Some plugins did not load in full: ${registry.problems.join("; ")}`];
}

/** The built-in model that needs no key. */
export function offlineModel(providers: readonly Provider[]): ResolvedModel {
    return resolveModel("offline", providers);
}

/** Stops the turn under way when the process is told to end, or its time is up. */
export function stopOnSignals(timeoutSeconds?: number): {
    readonly signal: AbortSignal;
    /** The exit code of the signal that ended the run, if one did. */
    exitCode(): number | undefined;
    dispose(): void;
} {
    const controller = new AbortController();
    let code: number | undefined;
    const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
    const stop = (name: NodeJS.Signals) => {
        code ??= name in codes ? codes[name as keyof typeof codes] : 1;
        controller.abort(new TurnStopped("cancelled"));
    };
    for (const name of Object.keys(codes)) process.on(name, stop);
    const timer =
        timeoutSeconds === undefined
            ? undefined
            : setTimeout(
                  () => controller.abort(new TurnStopped("timeout")),
                  timeoutSeconds * 1_000
              );
    return {
        signal: controller.signal,
        exitCode: () => code,
        dispose() {
            clearTimeout(timer);
            for (const name of Object.keys(codes)) process.off(name, stop);
        },
    };
}
