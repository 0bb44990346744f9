import type { SlashContext } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import { summarize, type SummaryOutcome } from "../../core/agent/turn/summarize.js";
import { KEPT_MESSAGES } from "../../core/context/summary-keep.js";
import { withoutKeys } from "../models/provider-keys.js";
import type { SessionParts } from "./session-parts.js";

type Summarize = SlashContext["conversation"]["summarize"];

/** Has the model summarize the session's conversation now, as it is done when it fills the context. */
export function summarizer(session: SessionParts): Summarize {
    return async ({ keepLast = KEPT_MESSAGES, signal, tell }) => {
        const { project, connections, edges } = session.options;
        const { conversation } = session;
        const before = session.status().contextTokens;
        const { provider, model } = session.model;
        if (!conversation.isOpen) throw nothingToSummarize(keepLast);
        const summarizing = summarize(
            {
                conversation: conversation.state,
                record: (record) => conversation.record(withoutKeys(record, connections.keys)),
                provider,
                model,
                connection: await connections.to(provider),
                ...(session.budget ? { budget: session.budget } : {}),
                ledger: project.ledger,
                log: project.log,
                edges,
                signal,
            },
            { keepLast },
            (_usage, costUsd) => session.count(costUsd)
        );
        let step = await summarizing.next();
        for (; !step.done; step = await summarizing.next()) {
            if (step.value.type === "notice") tell(step.value.text);
            if (step.value.type === "retry-scheduled") tell(step.value.reason);
        }
        await conversation.sync();
        const messages = messagesOf(step.value, keepLast);
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
                "Try again, choose another model with `/model`, or begin anew with `/new`.",
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
