import type { Message, ModelRequest } from "../../plugin/index.js";

/** Characters a token stands for, and the margin for where that is too few. */
const CHARACTERS_PER_TOKEN = 3.5;
const MARGIN = 1.1;

/** What an image counts as; vendors charge by its size, at most about this much. */
const IMAGE_TOKENS = 1_600;

const charactersOf = new WeakMap<Message, number>();

/** Estimated tokens of a request, before a provider has counted them. */
export function estimateTokens(request: ModelRequest): number {
    const fixed = request.system.length + schemaCharacters(request.tools);
    const said = request.messages.reduce((sum, message) => sum + messageCharacters(message), 0);
    return tokensOf(fixed + said);
}

/** What a provider counted last, and of how many messages. */
export interface Reported {
    /** 0 where there was no report. */
    readonly contextTokens: number;
    readonly reportedMessages: number;
}

/** Tokens a request will hold: what was counted last and an estimate of what came since. */
export function expectedTokens(request: ModelRequest, reported: Reported): number {
    const { contextTokens, reportedMessages } = reported;
    if (contextTokens === 0) return estimateTokens(request);
    return contextTokens + messagesTokens(request.messages.slice(reportedMessages));
}

/** Estimated tokens of messages alone. */
export function messagesTokens(messages: readonly Message[]): number {
    return tokensOf(messages.reduce((sum, message) => sum + messageCharacters(message), 0));
}

/** Estimated tokens of a text of this many characters. */
export function tokensOf(characters: number): number {
    return Math.ceil((characters / CHARACTERS_PER_TOKEN) * MARGIN);
}

/** How many characters so many tokens allow. */
export function charactersIn(tokens: number): number {
    return Math.max(0, Math.floor((tokens / MARGIN) * CHARACTERS_PER_TOKEN));
}

const schemaLengths = new WeakMap<ModelRequest["tools"], number>();

/** Characters of the tools as they are sent; counted once. */
export function schemaCharacters(tools: ModelRequest["tools"]): number {
    const known = schemaLengths.get(tools);
    if (known !== undefined) return known;
    const length = JSON.stringify(tools).length;
    schemaLengths.set(tools, length);
    return length;
}

/** Counted once for each message: messages never change. */
function messageCharacters(message: Message): number {
    const known = charactersOf.get(message);
    if (known !== undefined) return known;
    let characters = 0;
    for (const part of message.content) characters += partCharacters(part);
    charactersOf.set(message, characters);
    return characters;
}

/** How many characters a part counts as. */
export function partCharacters(part: Message["content"][number]): number {
    switch (part.type) {
        case "image":
            return IMAGE_TOKENS * CHARACTERS_PER_TOKEN;
        case "tool-call":
            return JSON.stringify(part.input).length;
        case "tool-result":
            return part.content.length;
        default:
            return part.text.length;
    }
}
