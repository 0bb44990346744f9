import type { Message } from "../../plugin/index.js";
import type { MessageStart } from "../conversation/fold.js";
import { messagesTokens } from "../message/estimate.js";

export const MESSAGES_AFTER_SUMMARY = 10;

/** The entries that a summary may replace. */
interface Summarizable {
    readonly messages: readonly Message[];
    readonly isSummarized: boolean;
    messageStarts(): readonly MessageStart[];
}

export interface KeepLimits {
    /** Minimum number of messages, if they fit. */
    readonly keepLast: number;
    /** Upper bound in tokens, even if that keeps fewer messages; the last exchange always stays. */
    readonly maxKeptTokens?: number;
}

/**
 * The first message to keep. `undefined` if a summary would gain nothing: everything is kept, or
 * only the previous summary would be replaced. Never separates a call from its results.
 */
export function firstKeptMessage(
    conversation: Summarizable,
    { keepLast, maxKeptTokens }: KeepLimits
): MessageStart | undefined {
    const { messages, isSummarized } = conversation;
    const least = isSummarized ? 2 : 1;
    const possible = conversation.messageStarts().filter(({ index }) => index >= least);
    const wanted = possible.findLast(({ index }) => index <= messages.length - keepLast);
    if (maxKeptTokens === undefined) return wanted;
    const first = wanted ?? possible[0];
    if (first === undefined) return undefined;
    const fitting = possible.find(
        ({ index }) =>
            index >= first.index && messagesTokens(messages.slice(index)) <= maxKeptTokens
    );
    return fitting ?? possible.at(-1);
}
