import { addCosts } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { oneOffReply } from "../../core/agent/turn/one-off-reply.js";
import { reminder } from "../../core/message/reminder.js";
import type { AsideAnswer, ModelRequest, SummarizeOptions } from "../../plugin/index.js";
import { requestOf } from "../../core/agent/turn.js";
import { resultOf } from "../../core/agent/events.js";
import { modelOf } from "./model-of.js";
import type { HostSession } from "./session.js";

const ASIDE = reminder(
    "The next message is a side question. Answer it now and briefly, from what you know; call no tool. Neither it nor your answer will be kept."
);

/** See `SlashConversation.askAside`. The request begins like the conversation's, which is cached. */
export async function askAside(
    session: HostSession,
    question: string,
    { signal, tell }: Omit<SummarizeOptions, "keepLast">
): Promise<AsideAnswer> {
    const { options, conversation } = session;
    const { project, runtime } = options;
    await session.completeModel();
    conversation.state.closeOpenCalls();
    const turn = {
        ...{ conversation, model: await modelOf(session, session.mode) },
        ...{ log: project.log, runtime, signal },
    };
    const content = [ASIDE, question].map((text) => ({ type: "text" as const, text }));
    const makeRequest = (): ModelRequest => {
        const request = requestOf(session.requestParts(turn.model.info));
        return { ...request, messages: [...request.messages, { role: "user", content }] };
    };
    let costUsd: number | null = 0;
    const replying = oneOffReply(turn, makeRequest, (_usage, cost) => {
        session.count(cost);
        costUsd = addCosts(costUsd, cost);
    });
    const text = (await resultOf(replying, tell)).trim();
    if (text !== "") return { text, costUsd };
    throw new NorthError("no-answer", "The model did not answer in text.", [
        "Ask it in the conversation: there it can use tools.",
    ]);
}
