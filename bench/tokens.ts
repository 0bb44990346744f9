import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";

const encoder = new Tiktoken(o200k);

/** Counts tokens like OpenAI's models; others differ by a few per cent. */
export function tokensIn(text: string): number {
    return encoder.encode(text, "all").length;
}
