import { northCommand } from "../../base/north-command.js";
import { alignColumns } from "../../base/columns.js";
import {
    firstWords,
    formatCosts,
    formatElapsed,
    formatLineCounts,
    formatUsd,
} from "../../base/format.js";
import { visibleLine } from "../../base/safe-text.js";
import { deleteConversation } from "../conversations/conversation-list.js";
import { applyDraftConfirmed, type DraftReviewer } from "../operations/open-drafts.js";
import type { RaceEnd, RaceRun } from "./race.js";

const PROBLEM_CHARACTERS = 40;

/** `sonnet  pass  2m 10s  $0.38  +41 -9`, one line for each run. */
export function raceTable(runs: readonly RaceRun[]): string {
    const rows = runs.map((run) => [
        ...[visibleLine(run.name), run.state, formatElapsed(run.durationMs)],
        run.costUsd === null ? "no price" : formatUsd(run.costUsd),
        run.linesAdded + run.linesRemoved > 0 ? formatLineCounts([run]) : "",
        run.state === "pass" ? (run.conversationId ?? "") : problemOf(run),
    ]);
    return alignColumns(rows, { right: [2, 3] }).join("\n");
}

function problemOf({ state, problem }: RaceRun): string {
    return state === "fail" ? visibleLine(firstWords(problem ?? "", PROBLEM_CHARACTERS)) : "";
}

export function raceSentence({ runs, winner, costUsd, isCapReached }: RaceEnd): string {
    const passed = runs.filter(({ state }) => state === "pass");
    const cap = isCapReached ? " The cost limit was reached." : "";
    const unpriced = runs.filter((run) => run.costUsd === null).length;
    const costs = formatCosts(costUsd, unpriced);
    const total = `${passed.length} of ${runs.length} passed · ${costs} together.${cap}`;
    const hasLines = runs.some((run) => run.linesAdded + run.linesRemoved > 0);
    if (!winner && !hasLines) return `${total} No run changed a line.`;
    if (!winner) return `${total} \`${northCommand()} draft list\` shows what they drafted.`;
    const asCheap = passed.filter((run) => run.costUsd === winner.costUsd);
    return `${total} ${reasonFor(winner, asCheap.length)}`;
}

function reasonFor({ name, costUsd }: RaceRun, asCheap: number): string {
    const shown = visibleLine(name);
    if (asCheap === 1) return `${shown} is the cheapest.`;
    const why = costUsd === null ? "Their prices are unknown" : `${asCheap} cost the least`;
    return `${why}; of these ${shown} was the fastest.`;
}

interface Reviewer extends Pick<DraftReviewer, "log"> {
    readonly dataFolder: string;
    readonly folder: string;
    /** `undefined` where nobody can be asked. */
    readonly confirm: DraftReviewer["confirm"] | undefined;
}

/** Asks about the winner's draft; after the answer the other runs are deleted. */
export async function reviewWinner(
    { runs, winner }: RaceEnd,
    { dataFolder, folder, log, confirm }: Reviewer
): Promise<boolean> {
    const id = winner?.conversationId;
    if (id === undefined) return false;
    if (!confirm) {
        const draft = `${northCommand()} draft`;
        log(`\`${draft} apply ${id}\` applies it, \`${draft} show ${id}\` shows it.`);
        return false;
    }
    const end = await applyDraftConfirmed(dataFolder, { id, path: folder }, { confirm, log });
    if ("conflicts" in end) return false;
    if (!end.applied) log(`\`${northCommand()} draft apply ${id}\` applies it later.`);
    for (const { conversationId } of runs) {
        if (conversationId !== undefined && conversationId !== id) {
            await deleteConversation(dataFolder, conversationId);
        }
    }
    return end.applied;
}
