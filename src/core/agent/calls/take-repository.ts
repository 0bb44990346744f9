import { gitLine } from "../../../plugin/git-changes.js";
import type { ChangeRange } from "../../approval/changes.js";
import type { ContainedRepository } from "../../approval/contained-repository.js";
import type { Turn } from "../turn.js";

/**
 * Takes over what a contained command did in git's folder. Contents that the project does not hold
 * end what was allowed before, like any change: an allowed command may check them out.
 */
export async function takeRepository(
    { project: { grants }, log }: Pick<Turn, "project" | "log">,
    repository: ContainedRepository | undefined
): Promise<ChangeRange | undefined> {
    if (!repository) return undefined;
    const { isPlain, changes } = repository.shown;
    const range = isPlain ? undefined : await grants.changes.add(undefined);
    await repository.take();
    log.event("info", "git_changes_taken", { what: changes.map(gitLine) });
    return range;
}
