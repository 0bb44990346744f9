import { oneLine } from "../../base/format.js";
import path from "node:path";
import { resultOf } from "../../core/agent/events.js";
import { NorthError } from "../../base/north-error.js";
import { summarize, type SummaryOutcome } from "../../core/agent/turn/summarize.js";
import { MESSAGES_AFTER_SUMMARY } from "../../core/summary/summary-keep.js";
import { planIn } from "../../core/conversation/plan.js";
import { replyTexts } from "../../core/conversation/reply-messages.js";
import { hiddenOutputs } from "../../core/conversation/hidden-outputs.js";
import type { Entry, ReplyUsage, SlashConversation, SlashServices } from "../../plugin/index.js";
import { forkConversation } from "../conversations/fork-conversation.js";
import { exportedConversation } from "../conversations/exported-conversation.js";
import { exportText, formatOfFile, writeExport } from "../conversations/export-conversation.js";
import { prepareRewind, prepareUndo, type UndoHost } from "../operations/undo-changes.js";
import { findRescue, rescueLine, restoreRescue } from "../effects/rescue.js";
import { type DraftHost, prepareDraft } from "../operations/drafts.js";
import { prepareDrop } from "../operations/drop-turn.js";
import { changedTurns } from "../operations/turn-list.js";
import type { ProjectStores } from "../open-stores.js";
import { openChecks } from "./session-checks.js";
import { modelOf } from "./model-of.js";
import { recap } from "./recap.js";
import type { HostSession } from "./session.js";

/** What slash commands may do with this conversation, others, and changes. */
export function conversationServices(
    session: HostSession
): Pick<SlashServices, "conversation" | "conversations" | "changes"> {
    return {
        conversation: {
            get id() {
                return session.conversationId;
            },
            get name() {
                return session.conversation.state.name;
            },
            rename: (name) => rename(session, name),
            fork: (turn) => fork(session, turn),
            lastAnswer: () => lastAnswer(session.entries),
            startNew: () => session.startNew(),
            resume: async (id) => [...(await session.resume(id)), ...(await recap(session))],
            export: (file) => exportTo(session, file),
            summarize: summarizer(session),
            askAside: async (question, options) => {
                const { askAside } = await import("./ask-aside.js");
                return askAside(session, question, options);
            },
            plan: () => planIn(session.entries),
            replies: () => session.entries.flatMap(replyUsage),
            contextUsage: () => session.contextUsage(),
            hiddenOutputs: () =>
                hiddenOutputs(session.entries, session.options.project.stores.contents),
        },
        conversations: {
            async list({ tell, ...options } = {}) {
                const report = tell ?? (() => {});
                const { conversations } = session.options.project.stores;
                const all = await conversations.list({ ...options, report });
                return all.filter(
                    ({ id, root }) => root === session.root && id !== session.conversationId
                );
            },
        },
        changes: {
            planUndo: (turns) => prepareUndo(undoHost(session), session.entries, turns),
            planRewind: (turn) => prepareRewind(undoHost(session), session.entries, turn),
            turns: () => changedTurns(session.entries),
            planDrop: (turn) => prepareDrop(undoHost(session), session.entries, turn),
            planDraft: () => prepareDraft(draftHost(session)),
            async planShrink(options) {
                const { planShrink } = await import("./shrink-change.js");
                const { directories } = session.options.project;
                return planShrink(draftHost(session), directories, options);
            },
            rescues: rescueServices(session.options.project.stores),
        },
    };
}

function rescueServices(stores: ProjectStores): SlashServices["changes"]["rescues"] {
    const { rescues } = stores;
    return {
        list: async () =>
            (await rescues.list()).map((kept) => ({ ...kept, line: rescueLine(kept) })),
        restore: async (id) => restoreRescue(await findRescue(rescues, id), stores),
    };
}

const MAX_NAME_LENGTH = 80;

async function rename({ conversation, options }: HostSession, given: string): Promise<void> {
    const name = oneLine(given).slice(0, MAX_NAME_LENGTH);
    await conversation.begin();
    conversation.record({ type: "conversation_named", name, at: options.runtime.now() });
    await conversation.sync();
}

async function fork(session: HostSession, turn?: number): Promise<readonly string[]> {
    const { conversationId, entries, options } = session;
    if (entries.length === 0) throw nothingSaid();
    const { id, notices } = await forkConversation(
        options.project.stores.conversations,
        conversationId,
        turn
    );
    return [...notices, ...(await session.resume(id))];
}

function lastAnswer(entries: readonly Entry[]): string {
    const texts = entries.map((entry) =>
        entry.kind === "assistant" ? replyTexts(entry).join("") : ""
    );
    return texts.findLast((text) => text.trim() !== "") ?? "";
}

function nothingSaid(): NorthError {
    return new NorthError("nothing-said", "Nothing has been said in this conversation yet.");
}

export function draftHost(session: HostSession): DraftHost {
    const { conversation, options } = session;
    return {
        ...undoHost(session),
        conversation,
        readChecks: options.project.readChecks,
        outputs: () => options.project.contained.outputsOf(conversation.state.id),
    };
}

export function undoHost({ conversation, root, options }: HostSession): UndoHost {
    const { project, runtime } = options;
    const { contents, grants } = project.stores;
    const { applier } = project;
    return { root, conversation, project: { applier, contents, grants }, runtime };
}

async function exportTo(session: HostSession, wanted?: string): Promise<string> {
    if (session.entries.length === 0) throw nothingSaid();
    const file = path.resolve(session.root, wanted ?? `north-${session.conversationId}.md`);
    const exported = await exportedConversation(
        session.conversation.state,
        session.options.project.readChecks
    );
    const { contents } = session.options.project.stores;
    const text = await exportText(exported, formatOfFile(file), contents);
    await writeExport(file, text, { replace: false });
    return file;
}

function replyUsage(entry: Entry): ReplyUsage[] {
    if (entry.kind !== "assistant" || entry.usage === undefined) return [];
    const { provider, model, usage, costUsd = null } = entry;
    return [{ provider, model, usage, costUsd }];
}

/** Summarizes the conversation now, as happens when it fills the context. */
function summarizer(session: HostSession): SlashConversation["summarize"] {
    return async ({ keepLast = MESSAGES_AFTER_SUMMARY, signal, tell }) => {
        const { project, runtime } = session.options;
        const { conversation } = session;
        const before = session.status().contextTokens;
        // The provider counted `before`, but nobody has counted the summary: scale its estimate.
        conversation.state.estimateScale = before / session.contextUsage().totalTokens;
        if (!conversation.isOpen) throw nothingToSummarize(keepLast);
        const checks = await openChecks(session, signal);
        await checks?.onEvent({ type: "before-summary", trigger: "manual" });
        for (const problem of checks?.takeProblems() ?? []) tell(problem);
        const summarizing = summarize(
            {
                conversation,
                model: await modelOf(session, session.mode),
                log: project.log,
                runtime,
                signal,
            },
            { keepLast },
            (_usage, costUsd) => session.count(costUsd)
        );
        const outcome = await resultOf(summarizing, tell);
        await conversation.sync();
        const messages = messagesOf(outcome, keepLast);
        return { messages, before, after: session.status().contextTokens };
    };
}

function messagesOf(outcome: SummaryOutcome, keepLast: number): number {
    switch (outcome.kind) {
        case "summarized":
            return outcome.messages;
        case "nothing-to-summarize":
            throw nothingToSummarize(keepLast);
        case "failed":
            throw new NorthError("summary-failed", `Nothing was summarized. ${outcome.reason}`, [
                "Try again, choose another model with `/model`, or start a new conversation with `/new`.",
            ]);
        default:
            return outcome satisfies never;
    }
}

function nothingToSummarize(keepLast: number): NorthError {
    const last = keepLast === 1 ? "message" : `${keepLast} messages`;
    const sentence = `There is nothing to summarize before the last ${last}.`;
    const nextSteps = keepLast > 2 ? ["`/summarize --keep-last 2` keeps less."] : [];
    return new NorthError("nothing-to-summarize", sentence, nextSteps);
}
