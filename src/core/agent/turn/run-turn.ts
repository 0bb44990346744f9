import { setMaxListeners } from "node:events";
import type { StopReason, ToolCallPart, UserEntry } from "../../../plugin/index.js";
import { reminder } from "../../message/reminder.js";
import { unfinishedNotice } from "../../files/notes.js";
import { ContextRoom } from "./context-room.js";
import { fallBack } from "./fall-back.js";
import type { AgentEvent, TurnOutcome, TurnStopReason } from "../events.js";
import { relayEvents } from "../calls/relay.js";
import { reviewDraft } from "../calls/review-draft.js";
import { listsIn } from "../../conversation/undo.js";
import { isEdit } from "../../draft/open-draft.js";
import { executeCalls } from "../calls/execute-calls.js";
import { TurnOutputs } from "../calls/outputs.js";
import { ReplyDraft } from "../reply/reply-draft.js";
import { Retries } from "../reply/retry.js";
import {
    emptyReply,
    type Ending,
    endingOf,
    evidenceSince,
    stopFailure,
    turnFinished,
} from "./ending.js";
import { askAfter, limitReached, LoopGuard, type Totals, withinBudget } from "./limits.js";
import { note, settleFiles } from "./settle-files.js";
import { streamReply, type Reply } from "../reply/stream-reply.js";
import { interruptedAnswer, lastMessage, totalsOf } from "./continue-turn.js";
import { newEntry, type Turn, type TurnRequest } from "../turn.js";

/** Consecutive interrupted replies before the model is no longer asked to continue. */
const MAX_CUT_REPLIES = 3;

/** A reply; an interrupted one is kept for its files. */
type SentReply = Reply & { readonly failure?: Error };

/**
 * Runs one turn: from the user's message to the model's final answer, through any number of tool
 * calls. Pull-based: nothing happens until the consumer asks for it, and everything yielded is
 * stored first. Never throws: the last event holds the outcome.
 */
export async function* runTurn(turn: Turn): AsyncGenerator<AgentEvent, void> {
    // Every call of a reply listens; beyond ten listeners, Node warns of a leak.
    setMaxListeners(0, turn.signal);
    const start = startOf(turn);
    const { id: turnId } = start.entry;
    turn.conversation.observe({
        type: "turn-started",
        at: turn.runtime.now(),
        turnId,
        mode: turn.settings.mode,
    });
    let outcome: TurnOutcome | undefined;
    try {
        outcome = yield* runToOutcome(turn, start);
        yield { type: "turn-finished", outcome };
    } finally {
        // Even if the consumer stops pulling.
        turn.conversation.observe(turnFinished(outcome, turnId, turn.runtime.now()));
    }
}

interface TurnStart {
    readonly entry: UserEntry;
    /** Index of the turn's first entry. */
    readonly from: number;
    readonly isNew: boolean;
}

/** A new message, or the last one, whose interrupted turn continues or whose draft is reviewed. */
function startOf(turn: Turn): TurnStart {
    const { entries } = turn.conversation.state;
    const { message, isDraftReview = false } = turn.request;
    if (message) return { entry: userEntry(turn, message), from: entries.length, isNew: true };
    const last = lastMessage(entries);
    return { ...last, ...(isDraftReview && { from: entries.length }), isNew: false };
}

async function* runToOutcome(
    turn: Turn,
    { entry, from, isNew }: TurnStart
): AsyncGenerator<AgentEvent, TurnOutcome> {
    const totals = totalsOf(turn.conversation.state.entries.slice(from));
    let ending: Ending;
    try {
        if (isNew) turn.conversation.record({ type: "entry_added", entry });
        ending = { stopReason: yield* converse(turn, totals, from) };
    } catch (error) {
        ending = endingOf(turn, error);
    }
    try {
        yield* unfinishedFiles(turn, totals.paths);
        await turn.conversation.sync();
    } catch (error) {
        ending = { stopReason: "error", error };
    }
    const evidence = await evidenceSince(turn, from);
    const outcome = totals.outcome(ending.stopReason, ending.error);
    return { ...outcome, ...(evidence && { evidence }) };
}

function userEntry(
    { runtime, settings: { mode } }: Turn,
    message: NonNullable<TurnRequest["message"]>
) {
    return newEntry(runtime, { kind: "user", mode, ...message });
}

/** `from`: the turn's first entry. */
async function* converse(
    turn: Turn,
    totals: Totals,
    from: number
): AsyncGenerator<AgentEvent, TurnStopReason> {
    const outputs = new TurnOutputs(turn.settings.results, turn.model.info);
    const room = new ContextRoom(turn, (usage, costUsd) => totals.count(usage, costUsd));
    const loops = new LoopGuard();
    let cutReplies = 0;
    let hasAskedAgain = false;
    const { message, isDraftReview = false } = turn.request;
    if (isDraftReview && !(yield* continuedByDraft(turn, 0))) return "end";
    const answer = message || isDraftReview ? undefined : interruptedAnswer(turn, from);
    if (answer !== undefined && !(yield* isContinued(turn, answer, from))) return "end";
    for (let replies = 0; ; replies += 1) {
        turn.signal.throwIfAborted();
        await loops.check(turn);
        await askAfter(turn, replies);
        const limit = limitReached(turn, totals);
        if (limit) return limit;
        yield* room.summarizeIfFull();
        const reply = yield* replyThatFits(turn, totals, room);
        loops.noteReply(reply);
        const isCut = reply.failure !== undefined || reply.files.open?.kind === "staged";
        cutReplies = isCut ? cutReplies + 1 : 0;
        const mayContinue = cutReplies <= MAX_CUT_REPLIES && !FINAL.has(reply.stopReason);
        const hasNote = yield* settleFiles(turn, reply.files, mayContinue);
        if (reply.calls.length > 0 && reply.stopReason !== "refused") {
            const executed = executeCalls(turn, reply.calls, outputs, (call, entry) =>
                loops.note(call, entry, hasChanged(turn, call, from))
            );
            for await (const event of executed) {
                if (event.type === "nested-usage") totals.count(event.usage, event.costUsd);
                yield event;
            }
            turn.checks?.throwIfStopped();
            yield* deliverQueued(turn);
            hasAskedAgain = false;
            continue;
        }
        if (hasNote && mayContinue) continue;
        const failure = reply.failure ?? stopFailure(reply);
        if (failure !== undefined) throw failure;
        if (reply.stopReason === "paused") continue;
        if (reply.text.trim() === "" && reply.files.all.length === 0) {
            if (hasAskedAgain) throw emptyReply(reply);
            hasAskedAgain = true;
            note(turn, reminder("Your reply was empty. Continue, or give your answer."));
            yield { type: "notice", text: "The model's reply was empty; asking once more." };
            continue;
        }
        hasAskedAgain = false;
        if (reply.stopDetail !== undefined) {
            const text = `The server ended the reply for a reason of its own: ${reply.stopDetail}.`;
            yield { type: "notice", text };
        }
        if (!(yield* isContinued(turn, reply.text, from))) return "end";
    }
}

async function* isContinued(
    turn: Turn,
    answer: string,
    from: number
): AsyncGenerator<AgentEvent, boolean> {
    return (yield* continuedByChecks(turn, answer)) || (yield* continuedByDraft(turn, from));
}

/** Whether a call changed files; an edit or a command records its change before its result. */
function hasChanged({ conversation }: Turn, { callId }: ToolCallPart, from: number): boolean {
    const entries = conversation.state.entries.slice(from);
    return entries.some((entry) => isEdit(entry) && entry.callId === callId);
}

/** Passes the last answer to the checks; returns whether one continues the turn. */
async function* continuedByChecks(turn: Turn, answer: string): AsyncGenerator<AgentEvent, boolean> {
    const { checks } = turn;
    if (!checks) return false;
    if (turn.settings.isNested) {
        await checks.onEvent({ type: "nested-run-ended", answer });
        return false;
    }
    const { next, notes } = await checks.afterTurn(answer);
    for (const text of [...checks.takeProblems(), ...notes]) yield { type: "notice", text };
    if (next === "") return false;
    note(turn, reminder(next));
    return true;
}

/** Reviews the draft if it changed since an entry; returns whether the model should continue. */
async function* continuedByDraft(turn: Turn, from: number): AsyncGenerator<AgentEvent, boolean> {
    const { project, user, settings, conversation } = turn;
    const entries = conversation.state.entries.slice(from);
    const hasDrafted =
        entries.some(({ kind }) => kind === "drafted") || listsIn(entries, "outputs").length > 0;
    if (!project.draft || !user || settings.isNested || !hasDrafted) return false;
    let toResolve: string | undefined;
    yield* relayEvents(turn, async (outlet) => {
        const review = await reviewDraft(turn, outlet);
        if (review.kind === "resolve") toResolve = review.told;
    });
    if (toResolve === undefined) return false;
    note(turn, reminder(toResolve));
    return true;
}

/** Steering: delivers what the user sent meanwhile, after the results. */
async function* deliverQueued(turn: Turn): AsyncGenerator<AgentEvent, void> {
    for (;;) {
        const next = await turn.user?.nextMessage?.();
        if (next === undefined) return;
        // The user took it back for editing while its files were read.
        if (!next.take()) continue;
        turn.conversation.record({ type: "entry_added", entry: userEntry(turn, next.message) });
        yield { type: "message-delivered", text: next.message.text };
        for (const notice of next.notices) yield { type: "notice", text: notice };
    }
}

/** Stop reasons after which the model would only repeat itself. */
const FINAL: ReadonlySet<StopReason> = new Set(["refused", "context-overflow"]);

async function* replyThatFits(
    turn: Turn,
    totals: Totals,
    room: ContextRoom
): AsyncGenerator<AgentEvent, SentReply> {
    try {
        return yield* replyWithRetries(turn, totals);
    } catch (error) {
        if (yield* fallBack(turn, error)) yield* room.summarizeIfFull();
        else if (!(yield* room.summarizeAfterOverflow(error))) throw error;
        return yield* replyThatFits(turn, totals, room);
    }
}

async function* replyWithRetries(
    turn: Turn,
    totals: Totals
): AsyncGenerator<AgentEvent, SentReply> {
    const retries = new Retries(turn.runtime, turn.model.fallbacks);
    for (;;) {
        yield* withinBudget(turn);
        const draft = new ReplyDraft(turn);
        const requestId = turn.runtime.id();
        const begin = turn.runtime.now();
        const spent = () => ({ requestId, durationMs: turn.runtime.now() - begin });
        try {
            totals.requests += 1;
            turn.log.event("info", "model_request_start", { requestId, model: turn.model.info.id });
            const reply = yield* streamReply(turn, draft);
            turn.log.event("info", "model_request_complete", { ...spent(), ...draft.usage });
            totals.text = reply.text;
            return reply;
        } catch (error) {
            turn.log.event("error", "model_request_failed", { ...spent(), error: nameOf(error) });
            if (draft.text) totals.text = draft.text;
            if (turn.signal.aborted) throw error;
            const decision = retries.next(error);
            if (decision.kind === "give-up") throw decision.error;
            const { attempt, delayMs, error: failure } = decision;
            const { files } = draft;
            const reason = retryReason(failure, draft);
            turn.log.event("info", "api_retry_attempt", { attempt, delayMs, error: failure.code });
            yield { type: "retry-scheduled", attempt, delayMs, reason };
            await turn.runtime.sleep(delayMs, turn.signal);
            if (files.hasText) return { files, text: "", calls: [], stopReason: "end", failure };
        } finally {
            totals.add(draft);
        }
    }
}

function retryReason({ message }: Error, { files, isVisible }: ReplyDraft): string {
    if (files.hasText) return `${message} The text so far is kept; asking for the rest.`;
    return isVisible ? `${message} The partial reply is discarded; asking again.` : message;
}

function* unfinishedFiles(turn: Turn, paths: ReadonlySet<string>): Generator<AgentEvent> {
    const { staging } = turn;
    for (const path of paths) {
        const text = staging.read(path);
        if (text) yield { type: "notice", text: unfinishedNotice(path, text, staging) };
        else if (text === "") staging.remove(path);
    }
}

function nameOf(error: unknown): string {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
