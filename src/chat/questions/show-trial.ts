import { counted, formatDuration } from "../../base/format.js";
import { showControls } from "../../base/safe-text.js";
import { countedFiles } from "../../plugin/change-set.js";
import { hasOnlyCommits } from "../../core/approval/contained-repository.js";
import type { TrialRun } from "../../core/approval/approver.js";
import { describeError } from "../describe-error.js";
import { loadDiffDetails } from "../render/diff/diff-details.js";
import { diffLines } from "../render/diff/diff-lines.js";
import type { Prompt } from "./question.js";

/** Last output lines and first diff lines shown. */
const [OUTPUT_LINES, CHANGED_LINES] = [10, 200];

export interface ShownTrial {
    readonly sentence: string;
    readonly needs: string | undefined;
    /** Whether there is a result. */
    readonly ran: boolean;
}

export async function showTrial(
    tryContained: () => Promise<TrialRun>,
    prompt: Prompt
): Promise<ShownTrial> {
    const { terminal, view } = prompt;
    const { theme } = terminal;
    let trial: TrialRun;
    try {
        trial = await tryContained();
    } catch (error) {
        view.print(describeError(error, "the log", theme));
        const sentence = "The command could not be tried contained.";
        return { sentence, needs: undefined, ran: false };
    }
    const { outcome, changeSet, diffs } = trial;
    const details = await loadDiffDetails(changeSet, theme);
    const style = { theme, details, columns: view.columns - 2, isShortened: true };
    const changed = diffLines(diffs, style);
    const more = changed.length - CHANGED_LINES;
    view.printVerbatim(
        [
            ...outputLines(trial),
            ...changed.slice(0, CHANGED_LINES),
            ...(more > 0 ? [theme.quiet(`… ${counted(more, "more line")}`)] : []),
        ].map((line) => `  ${line}`)
    );
    const end = outcome.timedOut
        ? "stopped at its time limit"
        : `exit ${outcome.exitCode} after ${formatDuration(outcome.durationMs)}`;
    const isGitOnly = hasOnlyCommits(changeSet);
    const files = isGitOnly ? "the repository" : countedFiles(changeSet.changes);
    const effect = diffs.length === 0 ? "nothing changed" : `would change ${files}, shown above`;
    return { sentence: `Contained run: ${end}, ${effect}.`, needs: trial.needs, ran: true };
}

function outputLines({ outcome }: TrialRun): string[] {
    const text = [outcome.stdout, outcome.stderr].map((each) => each.trimEnd()).join("\n");
    const lines = showControls(text.trim()).split("\n");
    return text.trim() === "" ? [] : lines.slice(-OUTPUT_LINES);
}
