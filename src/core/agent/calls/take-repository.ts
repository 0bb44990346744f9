import type { FileChange } from "../../../plugin/index.js";
import { gitLine } from "../../../plugin/git-changes.js";
import { type ChangeRange, joined } from "../../approval/changes.js";
import type { ContainedRepository } from "../../approval/contained-repository.js";
import type { Turn } from "../turn.js";

interface Written {
    readonly kind: string;
    readonly range?: ChangeRange | undefined;
}

/**
 * Writes files, and takes over what a contained command did in git's folder. Contents that the
 * project does not hold end what was allowed before, like any change: an allowed command may check
 * them out.
 */
export async function writeAndTake<Outcome extends Written>(
    { project: { grants }, log }: Pick<Turn, "project" | "log">,
    repository: ContainedRepository | undefined,
    changes: readonly FileChange[],
    write: () => Promise<Outcome>
): Promise<Outcome> {
    if (!repository) return write();
    const { isPlain, changes: done } = repository.shown;
    const outcome = await repository.take(changes, async () => {
        const written = await write();
        if (written.kind !== "applied" || isPlain) return written;
        return { ...written, range: joined(written.range, await grants.changes.add(undefined)) };
    });
    if (outcome.kind === "applied") {
        log.event("info", "git_changes_taken", { what: done.map(gitLine) });
    }
    return outcome;
}
