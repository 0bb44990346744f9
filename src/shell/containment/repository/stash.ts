import type { RepositoryPlan } from "../../../base/repository-plan.js";
import type { LayeredGit } from "./layered-git.js";
import { logLines, packedIn, STASH } from "./references.js";

const LOG = `logs/${STASH}`;

/** What became of the stash, which is the log of its reference; `other` if that makes no sense. */
export function stashMoves(git: LayeredGit): RepositoryPlan["stash"] | "other" {
    if (!git.isTouched(STASH) && !git.isTouched(LOG)) return undefined;
    const log = git.before(LOG) ?? "";
    const before = logLines(log);
    const after = logLines(git.after(LOG));
    const dropped: number[] = [];
    let kept = 0;
    for (const [index, entry] of before.entries()) {
        const next = after[kept];
        // Git writes a dropped entry's predecessor into the next one, so only the rest is compared.
        if (next?.id === entry.id && next.message === entry.message) kept += 1;
        else dropped.push(index);
    }
    const pushed = after.slice(kept);
    const tip = git.after(STASH)?.trim() ?? packedIn(git.after("packed-refs")).get(STASH);
    if (tip !== after.at(-1)?.id) return "other";
    if (dropped.length + pushed.length === 0) return undefined;
    // The log counts from its start, `stash@{n}` from its end.
    const last = before.length - 1;
    return { log, dropped: dropped.map((index) => last - index), pushed };
}
