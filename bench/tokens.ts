import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";

const encoder = new Tiktoken(o200k);

/** Tokens of a text as OpenAI's models count them; others differ by some per cent. */
export function tokensIn(text: string): number {
    return encoder.encode(text, "all").length;
}
