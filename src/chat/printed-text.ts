import type { ChangeSet, Entry } from "../plugin/index.js";
import { colourLevel, createTheme, type Theme } from "./terminal/theme.js";

/** A whole conversation as text, in colour if the output supports it. */
export async function conversationText(id: string, entries: readonly Entry[]): Promise<string> {
    const { exchangeLines, loadMeasures } = await import("./render/exchanges.js");
    await loadMeasures();
    const { isTTY, columns } = process.stdout;
    const width = isTTY ? { columns } : {};
    return exchangeLines(entries, ownTheme(), { id, ...width }).join("\n");
}

/** Changes as in a review, in colour if the output supports it. */
export async function changesText(changeSet: ChangeSet): Promise<string> {
    const { diffsOf } = await import("../core/diff/diff.js");
    const { loadDiffDetails } = await import("./render/diff/diff-details.js");
    const { diffLines } = await import("./render/diff/diff-lines.js");
    const theme = ownTheme();
    const details = await loadDiffDetails(changeSet, theme);
    return diffLines(diffsOf(changeSet), { theme, details }).join("\n");
}

function ownTheme(): Theme {
    return createTheme(colourLevel(process.stdout, process.env));
}
