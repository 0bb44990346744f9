import { counted, formatDuration } from "../../base/format.js";
import type { Trial } from "../../core/approval/approver.js";
import { describeError } from "../describe-error.js";
import { loadDiffDetails } from "../render/diff/diff-details.js";
import { diffLines } from "../render/diff/diff-lines.js";
import { showControls, visibleLine } from "../terminal/safe-text.js";
import type { ReviewPlace } from "./change-review.js";

/** Of its output the last, of its changes the first lines. */
const [OUTPUT_LINES, CHANGED_LINES] = [10, 200];

/**
 * Runs a command contained and prints what it said and what it would change. Resolves with a sentence
 * about it for the question that follows.
 */
export async function showTrial(
    tryContained: () => Promise<Trial>,
    place: ReviewPlace
): Promise<string> {
    const { terminal, view } = place;
    const { theme } = terminal;
    let trial: Trial;
    try {
        trial = await tryContained();
    } catch (error) {
        view.print(describeError(error, "the log", theme));
        return "It could not be tried contained.";
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
        ? "reached its time limit"
        : `ended with exit ${outcome.exitCode} in ${formatDuration(outcome.durationMs)}`;
    return [`Contained it ${end}`, sentenceOn(trial)].join(" and ");
}

function outputLines({ outcome }: Trial): string[] {
    const text = [outcome.stdout, outcome.stderr].map((each) => each.trimEnd()).join("\n");
    const lines = showControls(text.trim()).split("\n");
    return text.trim() === "" ? [] : lines.slice(-OUTPUT_LINES);
}

function sentenceOn({ diffs, changeSet, needs }: Trial): string {
    const files = counted(changeSet.changes.length, "file");
    const changes = diffs.length === 0 ? "changed nothing" : `would change ${files}, shown above`;
    return needs === undefined ? `${changes}.` : `${changes}, but it needs ${visibleLine(needs)}.`;
}
