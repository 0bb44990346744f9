import type { Entry } from "../core/conversation/records.js";
import { exchangeLines } from "./render/exchanges.js";
import { colourLevel, createTheme } from "./terminal/theme.js";

/** A whole conversation as text, in colour where the output has any. */
export function conversationText(
    id: string,
    entries: readonly Entry[],
    output: NodeJS.WriteStream,
    environment: NodeJS.ProcessEnv
): string {
    const theme = createTheme(colourLevel(output, environment));
    return exchangeLines(entries, theme, { id }).join("\n");
}
