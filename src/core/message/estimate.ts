import type { Message, ModelRequest, ToolResultPart } from "../../plugin/index.js";

/** Characters per token, and a safety margin for denser text. */
const CHARACTERS_PER_TOKEN = 3.5;
const MARGIN = 1.1;

/** Tokens per image; vendors charge by size, at most about this much. */
const IMAGE_TOKENS = 1_600;

/** Estimates a request's tokens before a provider has counted them. */
export function estimateTokens(request: ModelRequest): number {
    const fixed = request.system.length + schemaCharacters(request.tools);
    const said = request.messages.reduce((sum, message) => sum + messageCharacters(message), 0);
    return tokensOf(fixed + said);
}

/** The provider's last count and the number of messages it covers. */
interface Reported {
    /** 0 without a report. */
    readonly contextTokens: number;
    readonly reportedMessages: number;
}

/** Tokens of the next request: the last count plus an estimate of everything since. */
export function expectedTokens(request: ModelRequest, reported: Reported): number {
    const { contextTokens, reportedMessages } = reported;
    if (contextTokens === 0) return estimateTokens(request);
    return contextTokens + messagesTokens(request.messages.slice(reportedMessages));
}

/** As `expectedTokens`, without the estimate's margin where a report has told how large it is. */
export function shownTokens(
    request: ModelRequest,
    reported: Reported & { readonly estimateScale: number }
): number {
    const expected = expectedTokens(request, reported);
    return reported.contextTokens === 0 ? Math.round(expected * reported.estimateScale) : expected;
}

export function messagesTokens(messages: readonly Message[]): number {
    return tokensOf(messages.reduce((sum, message) => sum + messageCharacters(message), 0));
}

export function tokensOf(characters: number): number {
    return Math.ceil((characters / CHARACTERS_PER_TOKEN) * MARGIN);
}

export function charactersIn(tokens: number): number {
    return Math.max(0, Math.floor((tokens / MARGIN) * CHARACTERS_PER_TOKEN));
}

/** Caches counts by identity: messages and tool lists are immutable. */
export function countedOnce<Counted extends object>(
    count: (counted: Counted) => number
): (counted: Counted) => number {
    const counts = new WeakMap<Counted, number>();
    return (counted) => {
        const characters = counts.get(counted) ?? count(counted);
        counts.set(counted, characters);
        return characters;
    };
}

export const schemaCharacters = countedOnce(
    (tools: ModelRequest["tools"]) => JSON.stringify(tools).length
);

const messageCharacters = countedOnce(({ content }: Message) => {
    let characters = 0;
    for (const part of content) characters += partCharacters(part);
    return characters;
});

/** Assumes about 2,500 tokens and 50 KB per page. */
const PDF_TOKENS_PER_CHARACTER = 2_500 / 68_000;

function mediaCharacters({ media = [] }: ToolResultPart): number {
    const tokens = media.reduce(
        (sum, { type, data }) =>
            sum + (type === "image" ? IMAGE_TOKENS : data.length * PDF_TOKENS_PER_CHARACTER),
        0
    );
    return tokens * CHARACTERS_PER_TOKEN;
}

export function partCharacters(part: Message["content"][number]): number {
    switch (part.type) {
        case "image":
            return IMAGE_TOKENS * CHARACTERS_PER_TOKEN;
        case "tool-call":
            return JSON.stringify(part.input).length;
        case "tool-result":
            return part.content.length + mediaCharacters(part);
        default:
            return part.text.length;
    }
}
