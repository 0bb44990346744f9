import type { Project } from "../project/open-project.js";

/** What a turn takes over from its project as it is. */
export function turnParts(project: Project) {
    const { workspace, shell, contained, applier, contents, grants, ledger, log } = project;
    const { jobs } = shell;
    return { workspace, shell, jobs, contained, applier, contents, grants, ledger, log };
}
