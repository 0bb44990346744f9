import { builtin } from "../src/builtin/index.js";
import { SYSTEM_PROMPT } from "../src/core/message/system-prompt.js";
import type { BenchRow } from "./measure.js";
import { tokensIn } from "./tokens.js";

/** Tokens in every request before anything is said. */
export async function promptRows(): Promise<BenchRow[]> {
    // A search of the web is off by default.
    const offered = (builtin.tools ?? []).filter(({ searchesWeb }) => !searchesWeb);
    const schemas = offered.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema,
    }));
    const tokens = tokensIn(SYSTEM_PROMPT) + tokensIn(JSON.stringify(schemas));
    return [
        {
            what: "system prompt and all built-in tool schemas",
            value: `${tokens} tokens`,
            bound: "4000 tokens",
            ok: tokens <= 4_000,
        },
    ];
}
