import { counted, firstWords, formatLineCounts } from "../../../base/format.js";
import type { Entry } from "../../../plugin/index.js";
import type { DraftFacts } from "../../approval/approver.js";
import type { FileDiff } from "../../diff/diff.js";
import type { Evidence, ReadChecks } from "../../history/evidence.js";
import type { DraftPlace } from "../turn.js";
import { draftStart, lostOutputs } from "../../conversation/draft-outputs.js";

const MAX_CHECKS = 3;
const MAX_COMMAND_CHARACTERS = 40;

/** What the log knows of its draft. `isAltered`: what is decided is not what was drafted. */
export async function draftFacts(
    entries: readonly Entry[],
    readChecks: ReadChecks,
    place: Pick<DraftPlace, "lastChangeAt" | "outputsSince" | "costSince">,
    { isAltered }: { readonly isAltered: boolean }
): Promise<DraftFacts> {
    const from = draftStart(entries);
    const { evidenceOf } = await import("../../history/evidence.js");
    const evidence = await evidenceOf(entries, from, readChecks);
    // A check may have used what is lost since.
    const isLess = lostOutputs(entries, place.outputsSince).length > 0;
    const tested = await testedClause(evidence, isAltered, async () =>
        Math.max(await place.lastChangeAt(), isLess ? place.outputsSince : 0)
    );
    return { tested, costUsd: (await place.costSince?.(from)) ?? null };
}

/** A check counts only for exactly the bytes that it ran on, of the draft and of the project. */
async function testedClause(
    evidence: Evidence | undefined,
    isAltered: boolean,
    lastChangeAt: DraftPlace["lastChangeAt"]
): Promise<string> {
    const ran = evidence?.checks ?? [];
    const checks = ran.filter(({ result }) => result !== "unknown");
    const drafted = isAltered ? [] : checks.filter(({ isAfterLastEdit }) => isAfterLastEdit);
    const changedAt = drafted.length === 0 ? 0 : await lastChangeAt();
    const current = drafted.filter(({ at }) => at >= changedAt);
    if (current.length === 0) {
        if (checks.length > 0) return "not tested since";
        const [unknown] = isAltered ? [] : ran;
        return unknown ? `${shortened(unknown)}: result unknown` : "not tested";
    }
    const results = current
        .slice(0, MAX_CHECKS)
        .map((check) => `${shortened(check)} ${check.result}`);
    const more = current.length > MAX_CHECKS ? `, ${current.length - MAX_CHECKS} more` : "";
    return `${results.join(", ")}${more} on it`;
}

function shortened({ command }: { readonly command: string }): string {
    return firstWords(command, MAX_COMMAND_CHARACTERS);
}

/** `5 files +120 -34` */
export function sizeOf(diffs: readonly FileDiff[]): string {
    return `${counted(diffs.length, "file")} ${formatLineCounts(diffs)}`;
}
