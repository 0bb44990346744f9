import type { Message, ModelRequest, Usage } from "../../plugin/index.js";
import { formatInteger } from "../../base/format.js";
import { promptTokens } from "../costs/price.js";
import { countedOnce, estimateTokens } from "./estimate.js";

/**
 * The pieces that GPT's, Llama's, Qwen's and Mistral's tokenizers never join: words, numbers,
 * punctuation, white space. https://github.com/openai/tiktoken
 */
const PIECE = /[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+/gu;

/** Other tokenizers join a few of them, such as `__init__`. */
const TOKENS_PER_PIECE = 0.9;

/** The smallest usual window is 2,048. A server that counts less counts without its cache. */
const MIN_COUNT = 2_000;

/** Windows are multiples of it, and Ollama cuts a prompt to exactly its window. */
const WINDOW_STEP = 1_024;

/**
 * What to tell the user if the server counted fewer tokens than any tokenizer could make of the
 * request, or exactly a small window's: servers cut off the beginning without an error.
 */
export function cutPromptText(
    request: ModelRequest,
    usage: Usage,
    server: string
): string | undefined {
    const counted = promptTokens(usage);
    if (counted < MIN_COUNT) return undefined;
    const sent = sentTokens(request, counted);
    if (sent === undefined) return undefined;
    return (
        `${server} read only ${formatInteger(counted)} of ${sent} tokens: it cut off the rest of the conversation. ` +
        `Give ${request.model.displayName} a larger context window there ` +
        "(Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; llama.cpp: --ctx-size; LM Studio: context length)."
    );
}

/** The tokens sent, in words; `undefined` if the server may have read them all. */
function sentTokens(request: ModelRequest, counted: number): string | undefined {
    const least = leastTokens(request);
    if (counted < least) return `at least ${formatInteger(least)}`;
    const estimated = estimateTokens(request);
    const isWindow = counted % WINDOW_STEP === 0;
    return isWindow && estimated > counted ? `about ${formatInteger(estimated)}` : undefined;
}

function leastTokens({ system, tools, messages }: ModelRequest): number {
    const said = messages.reduce((sum, message) => sum + messagePieces(message), 0);
    return Math.floor((piecesIn(system) + toolPieces(tools) + said) * TOKENS_PER_PIECE);
}

/** Without their schemas, which some models' templates write in fewer words. */
const toolPieces = countedOnce((tools: ModelRequest["tools"]) =>
    tools.reduce((sum, { name, description }) => sum + piecesIn(`${name} ${description}`), 0)
);

const messagePieces = countedOnce(({ content }: Message) =>
    content.reduce((sum, part) => sum + piecesIn(textOf(part)), 0)
);

/** What every server sends to the model; thinking and media it may leave out. */
function textOf(part: Message["content"][number]): string {
    switch (part.type) {
        case "text":
            return part.text;
        case "tool-result":
            return part.content;
        default:
            return "";
    }
}

function piecesIn(text: string): number {
    let count = 0;
    for (const _ of text.matchAll(PIECE)) count += 1;
    return count;
}
