import { existsSync } from "node:fs";
import { NorthError } from "../../base/north-error.js";
import type { ModelHandle } from "../../core/agent/model-handle.js";
import { NestedRuns } from "../../core/agent/nested/run-nested.js";
import type { QueuedMessage, Turn, TurnLimits, TurnProject } from "../../core/agent/turn.js";
import { modeNote, unseenDraftNotice } from "../../core/message/mode-note.js";
import type { MessageQueue, SendOptions } from "../../core/session.js";
import type { Mode, Recall } from "../../plugin/index.js";
import { onlyReads } from "../../plugin/modes.js";
import { pauseAutomatic } from "../../core/approval/pause-automatic.js";
import type { MessageOptions } from "../context/user-message-builder.js";
import { nestedLogs } from "../conversations/open-conversation.js";
import type { Project } from "../project/open-project.js";
import { costOfTurns } from "../costs/cost-of-turns.js";
import { placeInMode, projectInMode } from "./drafted-project.js";
import { editedElsewhere } from "./edited-elsewhere.js";
import { gitTree } from "../../workspace/git-tree.js";
import { modelOf } from "./model-of.js";
import type { HostSession, PreparedTurn } from "./session.js";
import { checksOf } from "./session-checks.js";

type Extras = Pick<MessageOptions, "context" | "attached" | "notes">;
type Compose = (
    text: string,
    typed: string,
    extras: Extras
) => Promise<Omit<QueuedMessage, "take">>;

/** A turn with a message, and notices for the user. Rejects with `refused-by-check` or `folder-gone`. */
export async function makeTurn(
    session: HostSession,
    text: string,
    { approver, signal, typed, queue, attached, context = [], ...kind }: SendOptions
): Promise<PreparedTurn> {
    const { options, messages, memory } = session;
    const { runGrants, once } = memory;
    const { project, runtime } = options;
    assertFolder(project.root, session);
    messages.prepare(session.conversation.state);
    await project.recovered;
    runGrants.hookFiles = await project.stores.grants.hookFiles();
    const { isContinuation = false, isDraftReview = false } = kind;
    const hasMessage = !isContinuation && !isDraftReview;
    const modeNow = () => (isDraftReview ? "draft" : session.mode);
    const checked = await checksOf(session, hasMessage ? text : undefined, signal, modeNow());
    // Taken together: the user may change mode and model until the turn is made.
    const { conversation } = session;
    const mode = modeNow();
    const { request } = session.requestParts(undefined, mode);
    const model = await modelOf(session, mode);
    await conversation.begin();
    noteWhatChanged(session, model);
    runGrants.pausedBy = undefined;
    const { state } = conversation;
    const isSame = () => session.mode === mode && session.model.model === model.info;
    const compose: Compose = async (text, typed, extras) => {
        const { broughtBy, ...composed } = await messages.compose({
            ...{ ...extras, text, typed, mode, state, approver, signal },
            workspace: placeInMode(project, mode, state).workspace,
            contents: project.stores.contents,
            model: model.info,
            notes: [...extras.notes, ...ownNotes(session, mode)],
        });
        if (broughtBy === undefined) return composed;
        const grants = await project.stores.grants.snapshot();
        const paused = pauseAutomatic(broughtBy, runGrants, grants) ?? [];
        return { ...composed, notices: composed.notices.concat(paused) };
    };
    const cost = (entry: number) => costOfTurns(project.stores, state, entry);
    const { message, notices } = hasMessage
        ? await compose(text, typed ?? text, { context, attached, notes: checked.notes })
        : { message: undefined, notices: [] };
    const unseen = unseenDraftNotice(mode, state);
    const told = unseen !== undefined && once.first(unseen) ? [unseen] : [];
    const logs = { open: nestedLogs(project, conversation), ledger: project.stores.ledger };
    const nested: NestedRuns = new NestedRuns(() => turn, logs);
    const turn: Turn = {
        conversation,
        model: { ...model, ledger: nested.ledger },
        project: projectInMode(mode, state, cost, {
            ...turnProject(project, signal),
            editedElsewhere: (paths) => editedElsewhere(paths, conversation, options),
            recall: recallOf(session),
            contextFor: (paths, sent) => project.context.forFiles(paths, sent, signal),
        }),
        user: approver && {
            approver,
            nextMessage: queue && (() => queued(queue, isSame, compose, turn)),
        },
        settings: { ...options.settings, mode, limits: limitsOf(session) },
        request: { ...request, ...(message && { message }), isDraftReview, tools: session.tools },
        checks: checked.checks,
        staging: project.stores.staging(conversation.id),
        nested: (...run) => nested.run(...run),
        ...{ session: memory, runtime, log: project.log, signal },
    };
    return { turn, notices: [...checked.notices, ...told, ...notices] };
}

/** Logs a changed model, thinking setting or folder. */
function noteWhatChanged(
    { conversation, options: { project, runtime } }: HostSession,
    { provider, info, thinking }: ModelHandle
): void {
    const { root } = project;
    const { state } = conversation;
    const at = runtime.now();
    const names = { provider: provider.id, model: info.id };
    if (state.provider !== names.provider || state.model !== names.model) {
        conversation.record({ type: "model_changed", at, ...names });
    }
    if (state.thinking.on !== thinking.on || state.thinking.effort !== thinking.effort) {
        conversation.record({ ...thinking, type: "thinking_changed", at });
    }
    // The model learns of it too.
    if (state.root !== root) conversation.record({ type: "root_changed", root, at });
}

/** What the model learns of the mode, and of files it left unfinished. */
function ownNotes(session: HostSession, mode: Mode): readonly string[] {
    const { id, state } = session.conversation;
    const note = modeNote(mode, state);
    const staging = session.options.project.stores.staging(id);
    const unfinished = onlyReads(mode) ? [] : session.leftovers.notes(staging);
    return note === undefined ? unfinished : [note, ...unfinished];
}

function recallOf({ conversation, tools, options: { project } }: HostSession): Recall {
    const { secrets, directories } = project;
    return async (text) => {
        const { recall } = await import("../conversations/recall.js");
        const { state } = conversation;
        return recall({ dataFolder: directories.data, state, tools, secrets }, text);
    };
}

/** The next queued message. One for another mode or model waits for its own turn. */
async function queued(
    queue: MessageQueue,
    isSame: () => boolean,
    compose: Compose,
    { checks }: Turn
): Promise<QueuedMessage | undefined> {
    const input = queue.peek();
    if (input === undefined || !isSame()) return undefined;

    // A refused message waits for its own turn, which says so.
    const { deny, notes = [] } = (await checks?.beforeMessage(input.text)) ?? {};
    if (deny !== undefined) return undefined;
    const composed = await compose(input.text, input.typed, { context: [], notes });
    return { ...composed, take: () => queue.take(input) };
}

/** The cost limit covers the whole run, across messages and conversations. */
function limitsOf({ options, sessionCostUsd }: HostSession): TurnLimits {
    const { limits } = options.settings;
    if (limits.maxCostUsd === undefined) return limits;
    return { ...limits, maxCostUsd: limits.maxCostUsd - sessionCostUsd };
}

export function turnProject(project: Project, signal: AbortSignal): TurnProject {
    const { workspace, secrets, shell, contained, applier, storeOutput, readChecks } = project;
    const { contents, grants } = project.stores;
    return {
        ...{ workspace, secrets, shell, contained, applier, storeOutput, readChecks },
        ...{ contents, grants, jobs: shell.jobs },
        forecast: (command, folder) => project.forecast(command, folder, signal),
        assertFolder: () => assertFolder(project.root),
        gitTree: () => gitTree(project.root, signal),
    };
}

/** `sending`: the session of a message, for whose user the error is. */
function assertFolder(root: string, sending?: HostSession): void {
    if (existsSync(root)) return;
    const gone = `${root} was moved or deleted.`;
    if (!sending) {
        throw new NorthError("folder-gone", gone, ["End your turn: only the user can help."]);
    }
    const { conversation, conversationId: id } = sending;
    const north = conversation.isOpen ? `\`north resume ${id} --path .\`` : "`north`";
    throw new NorthError("folder-gone", `Not sent. ${gone}`, [
        `Move it back, or quit and run ${north} in its new folder.`,
    ]);
}
