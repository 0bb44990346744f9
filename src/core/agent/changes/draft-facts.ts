import { firstWords } from "../../../base/format.js";
import type { Entry } from "../../../plugin/index.js";
import type { DraftFacts } from "../../approval/approver.js";
import type { Evidence, ReadChecks } from "../../history/evidence.js";
import type { DraftPlace } from "../turn.js";
import { openDraft } from "../../draft/open-draft.js";

const MAX_CHECKS = 3;
const MAX_COMMAND_CHARACTERS = 40;

/** What the log knows of its draft. `isAltered`: what is decided is not what was drafted. */
export async function draftFacts(
    entries: readonly Entry[],
    readChecks: ReadChecks,
    { lastChangeAt, costSince }: Pick<DraftPlace, "lastChangeAt" | "costSince">,
    { merged, isAltered }: { readonly merged: readonly string[]; readonly isAltered: boolean }
): Promise<DraftFacts> {
    const from = beginOf(entries);
    const { evidenceOf } = await import("../../history/evidence.js");
    const evidence = await evidenceOf(entries, from, readChecks);
    const isOther = isAltered || merged.length > 0;
    const tested = await testedClause(evidence, isOther, lastChangeAt);
    return { tested, costUsd: (await costSince?.(from)) ?? null, merged };
}

/** Where the turn that began the draft begins. */
function beginOf(entries: readonly Entry[]): number {
    const [first] = openDraft(entries).entries;
    const place = entries.findIndex(({ id }) => id === first?.id);
    return Math.max(
        0,
        entries.slice(0, place + 1).findLastIndex(({ kind }) => kind === "user")
    );
}

/** A check counts only for exactly the bytes that it ran on, of the draft and of the project. */
async function testedClause(
    evidence: Evidence | undefined,
    isOther: boolean,
    lastChangeAt: DraftPlace["lastChangeAt"]
): Promise<string> {
    const checks = (evidence?.checks ?? []).filter(({ result }) => result !== "unknown");
    const drafted = isOther ? [] : checks.filter(({ isAfterLastEdit }) => isAfterLastEdit);
    const changedAt = drafted.length === 0 ? 0 : await lastChangeAt();
    const current = drafted.filter(({ at }) => at >= changedAt);
    if (current.length === 0) return checks.length > 0 ? "not tested since" : "not tested";
    const results = current
        .slice(0, MAX_CHECKS)
        .map(({ command, result }) => `${firstWords(command, MAX_COMMAND_CHARACTERS)} ${result}`);
    const more = current.length > MAX_CHECKS ? `, ${current.length - MAX_CHECKS} more` : "";
    return `${results.join(", ")}${more} on it`;
}
