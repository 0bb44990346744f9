import type { Message } from "../../plugin/index.js";
import type { Place } from "../conversation/fold.js";
import { messagesTokens } from "./estimate.js";

/** Messages that stay as they are, unless the user says otherwise. */
export const KEPT_MESSAGES = 10;

/** What a summary may stand in for. */
export interface Summarizable {
    readonly messages: readonly Message[];
    readonly isSummarized: boolean;
    places(): readonly Place[];
}

/** How much is to stay word for word. */
export interface KeepLimits {
    /** At least so many messages, where that fits. */
    readonly keepLast: number;
    /** What is kept must be below this, if that takes fewer messages; the last exchange always is. */
    readonly maxKeptTokens?: number;
}

/**
 * The first message that stays. `undefined` where nothing would be gained: all of it stays, or what
 * would go is the last summary alone. A call and its results always stay or go together.
 */
export function placeToKeepFrom(
    conversation: Summarizable,
    { keepLast, maxKeptTokens }: KeepLimits
): Place | undefined {
    const { messages, isSummarized } = conversation;
    const least = isSummarized ? 2 : 1;
    const possible = conversation.places().filter(({ index }) => index >= least);
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
