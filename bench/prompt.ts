import { builtin } from "../src/builtin/index.js";
import { SYSTEM_PROMPT } from "../src/core/context/system-prompt.js";
import type { BenchRow } from "./measure.js";

/** What every request carries before anything is said. */
export async function promptRows(): Promise<BenchRow[]> {
    const schemas = (builtin.tools ?? []).map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema,
    }));
    const tokens = Math.ceil((SYSTEM_PROMPT.length + JSON.stringify(schemas).length) / 4);
    return [
        {
            what: "system prompt and all built-in tool schemas",
            value: `${tokens} tokens`,
            bound: "7000 tokens",
            ok: tokens <= 7_000,
        },
    ];
}
