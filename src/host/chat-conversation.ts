import { counted, formatCosts } from "../base/format.js";
import { valuesOf } from "../core/registry/registry.js";
import type { OpenedChat } from "../chat/chat-options.js";
import { runChat } from "../chat/run-chat.js";
import { createInputHistory, hasInputHistory } from "../storage/input-history.js";
import {
    type ConversationRun,
    offlineModel,
    type OpenedSession,
    openSession,
} from "./session/open-session.js";
import { recap } from "./session/recap.js";
import { pluginsOfOthers } from "./command-line/name-faulty-plugin.js";
import { divertPrints } from "./command-line/divert-prints.js";
import { stopOnSignals } from "./command-line/stop-on-signals.js";
import { unchosenServers } from "./models/choose-model.js";
import { missingPluginNotices, newUnreadServers } from "./models/missing-plugins.js";
import type { Project } from "./project/open-project.js";
import {
    unconfirmedGrantNotices,
    isWorthLearning,
    placeNotices,
} from "./project/project-notices.js";
import { countOffer, readProfile } from "../storage/profile.js";
import { withTimeLimit } from "../base/waiting.js";
import { northCommand } from "../base/north-command.js";
import { draftSize } from "./operations/drafts.js";
import { currentBranch } from "../base/git-directory.js";
import type { StatusMarks } from "../chat/render/status-line.js";
import type { Session } from "../core/session.js";
import { isEdited, PROJECT_AS_IT_IS, withChanges } from "../core/draft/view.js";
import type { Entry } from "../plugin/index.js";

/** Runs the interactive chat. Resolves with the exit code. */
export async function chatConversation(run: ConversationRun): Promise<number> {
    const stopper = stopOnSignals();
    // The watch slows start-up; only old logs and third-party plugins can block this early.
    const isWatched = run.resume !== undefined || pluginsOfOthers(run.config.plugins).length > 0;
    const watching = isWatched ? stopper.watch() : undefined;
    let opened: OpenedSession | undefined;
    const printed = divertPrints();
    try {
        const ending = await runChat({
            input: process.stdin,
            output: process.stdout,
            environment: run.flags.plain ? { ...run.environment, TERM: "dumb" } : run.environment,
            open: async () => {
                await watching;
                opened = await openSession(
                    { ...run, onRequest: stopper.watchIfLong },
                    offlineModel
                );
                printed.logTo(opened.project.log);
                return chatAbout(opened, run);
            },
            signal: stopper.signal,
            onBug: (error) => opened?.onBug(error),
        });
        await opened?.session.close();
        if (opened && ending === "quit") process.stdout.write(farewell(opened.session));
        return stopper.exitCode() ?? (ending === "interrupted" ? 130 : 0);
    } finally {
        await opened?.session.close();
        printed.restore();
        await stopper.dispose();
    }
}

async function chatAbout(
    { session, project, settings, notices }: OpenedSession,
    run: ConversationRun
): Promise<OpenedChat> {
    const { directories, environment, prompt } = run;
    const { id } = session.model.provider;
    const { root } = project;
    const places = { root, configFolder: directories.config, dataFolder: directories.data };
    return {
        session,
        history: createInputHistory(places),
        notices: [
            ...welcome(directories.data),
            ...notices,
            ...keyNotice(id, project, environment),
            ...missingPluginNotices(valuesOf(project.registry.providers), environment),
            ...(await newUnreadServers(run.config.plugins, places)),
            ...(await placeNotices(project, environment.HOME)),
            ...(await unconfirmedGrantNotices(project.stores.grants, "/trust")),
            ...(await learnNotice(run, project, id)),
            ...(run.resume === undefined ? [] : await recap(session)),
        ],
        statusMarks: statusMarks(session, project, settings.statusLine),
        ...{ notify: settings.notify, editingMode: settings.editingMode },
        initialPrompt: prompt,
    };
}

/** `Resume with: north resume 3fa2b1 · $0.12 · 2 files edited`; empty if nothing was said. */
function farewell(session: OpenedSession["session"]): string {
    const { entries, conversationId, conversation } = session;
    if (entries.every(({ kind }) => kind === "command")) return "";
    const files = editedFiles(entries);
    const { sessionCostUsd, unpricedRequests } = session.status();
    const drafted = conversation.state.draft.view.size;
    const facts = [
        `Resume with: ${northCommand()} resume ${conversationId}`,
        formatCosts(sessionCostUsd, unpricedRequests),
        ...(files > 0 ? [`${counted(files, "file")} edited`] : []),
        ...(drafted > 0 ? [`${counted(drafted, "file")} in the draft`] : []),
    ];
    return `${facts.join(" · ")}\n`;
}

/** How many files the conversation left other than it found them: an undone edit is none. */
function editedFiles(entries: readonly Entry[]): number {
    const files = entries.flatMap((entry) => (entry.kind === "change" ? entry.files : []));
    return [...withChanges(PROJECT_AS_IT_IS, files).values()].filter(isEdited).length;
}

/** Greets users without any input history. */
function welcome(dataFolder: string): readonly string[] {
    if (hasInputHistory(dataFolder)) return [];
    return ["Welcome to North. Say what you want done; /help lists commands and keys."];
}

function keyNotice(
    provider: string,
    project: Project,
    environment: NodeJS.ProcessEnv
): readonly string[] {
    if (provider !== "offline") return [];
    const servers = unchosenServers(valuesOf(project.registry.providers), environment);
    if (servers.length > 0) return servers;
    return [
        "No key is set: offline model (type `help`). Set ANTHROPIC_API_KEY or run `north login anthropic`.",
    ];
}

/** Offered until done or declined, and never to a user who starts with a prompt. */
async function learnNotice(
    { prompt, resume, environment, directories: { data } }: ConversationRun,
    project: Project,
    provider: string
): Promise<readonly string[]> {
    const { root } = project;
    if (provider === "offline" || prompt !== undefined || resume !== undefined) return [];
    if (!(await isWorthLearning(project, environment.HOME))) return [];
    if ((await readProfile(data, root)) !== undefined) return [];
    // A home folder that cannot be written to must not keep the chat from opening.
    if (!(await countOffer(data, root).catch(() => true))) return [];
    return ["/learn studies this repository (about 3 minutes, $0.30) · /learn no hides this"];
}

const STATUS_COMMAND_LIMIT_MS = 2_000;

/** Reads the extra facts of the status line. `command` is the user's own, from the settings. */
function statusMarks(
    session: OpenedSession["session"],
    project: Pick<Project, "root" | "contained" | "stores">,
    command?: string
): () => Promise<StatusMarks> {
    const { root, contained } = project;
    return async () => {
        const branch = await currentBranch(root);
        const { tier } = contained;
        const own =
            command === undefined ? undefined : await runStatusCommand(command, session, branch);
        const { view } = session.conversation.state.draft;
        return { tier, branch, own, draft: await draftSize(view, project.stores.contents) };
    };
}

/** The first line that the command prints. It gets the session's facts as JSON on stdin. */
async function runStatusCommand(
    command: string,
    session: Session,
    branch: string | undefined
): Promise<string | undefined> {
    const { runHook } = await import("./checks/run-hook.js");
    const { root, conversationId } = session;
    const facts = { root, conversationId, branch, ...session.status() };
    const { exitCode, stdout } = await withTimeLimit(STATUS_COMMAND_LIMIT_MS, (signal) =>
        runHook({ command }, facts, { root, signal })
    );
    return (exitCode === 0 && stdout.split("\n", 1)[0]) || undefined;
}
