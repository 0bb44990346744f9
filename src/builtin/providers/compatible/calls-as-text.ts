import { NorthError } from "../../../base/north-error.js";
import type { ModelRequest } from "../../../plugin/index.js";
import type { Vendor } from "../../../provider-kit/failures.js";

/** How Qwen and GLM, Kimi, DeepSeek and Mistral begin calls before a server has parsed them. */
const BEGIN =
    /^[ \t]*(?:<tool_call>|<\|tool_calls_section_begin\|>|<｜tool▁calls▁begin｜>|\[TOOL_CALLS\])/m;
const FENCE = /^ {0,3}```/gm;

/**
 * The failure of a reply without calls whose text has a call of an offered tool in the model's own
 * format; `undefined` for any other reply, even one that quotes such a call in a code block.
 */
export function unparsedCall(
    text: string,
    { tools, model }: ModelRequest,
    { name }: Vendor
): NorthError | undefined {
    const found = BEGIN.exec(text);
    if (found === null) return undefined;
    const isQuoted = (text.slice(0, found.index).match(FENCE)?.length ?? 0) % 2 === 1;
    const rest = text.slice(found.index);
    if (isQuoted || !tools.some((tool) => rest.includes(tool.name))) return undefined;
    return new NorthError(
        "invalid-request",
        `${name} does not parse the tool calls of ${model.displayName}: one arrived as text.`,
        [
            "Start the server with the model's tool parser: `llama-server --jinja`, or vLLM with --enable-auto-tool-choice and --tool-call-parser.",
            "Or choose another model with /model or --model.",
        ]
    );
}
