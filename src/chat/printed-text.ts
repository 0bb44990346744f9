import type { Entry } from "../plugin/records.js";
import { exchangeLines, loadMeasures } from "./render/exchanges.js";
import { colourLevel, createTheme } from "./terminal/theme.js";
import type { ChangeSet } from "../plugin/index.js";
import { diffsOf } from "../core/approval/diff.js";
import { loadDiffDetails } from "./render/diff/diff-details.js";
import { diffLines } from "./render/diff/diff-lines.js";

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

/** Changes as in a review, in colour if the output supports it. */
export async function changesText(
    changeSet: ChangeSet,
    output: NodeJS.WriteStream,
    environment: NodeJS.ProcessEnv
): Promise<string> {
    const theme = createTheme(colourLevel(output, environment));
    const details = await loadDiffDetails(changeSet, theme);
    return diffLines(diffsOf(changeSet), { theme, details }).join("\n");
}
