import type { ChangeSet } from "../plugin/index.js";
import { diffsOf } from "../core/approval/diff.js";
import { loadDiffDetails } from "./render/diff/diff-details.js";
import { diffLines } from "./render/diff/diff-lines.js";
import { colourLevel, createTheme } from "./terminal/theme.js";

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
