import type { Entry } from "../plugin/records.js";
import { exchangeLines, loadMeasures } from "./render/exchanges.js";
import { colourLevel, createTheme } from "./terminal/theme.js";

/** A whole conversation as text, in colour if the output supports it. */
export async function conversationText(
    id: string,
    entries: readonly Entry[],
    output: NodeJS.WriteStream,
    environment: NodeJS.ProcessEnv
): Promise<string> {
    await loadMeasures();
    const theme = createTheme(colourLevel(output, environment));
    const width = output.isTTY ? { columns: output.columns } : {};
    return exchangeLines(entries, theme, { id, ...width }).join("\n");
}
