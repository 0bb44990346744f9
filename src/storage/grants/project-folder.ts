import path from "node:path";
import { writeFileAtomically } from "../files/atomic-file.js";
import { projectFolder } from "../files/directories.js";
import { withLock } from "../files/file-lock.js";
import { formatJson, readJson, setAside } from "../files/json-file.js";
import type { Report } from "../files/storage-error.js";
import { cloneIdentity, makeCloneIdentity } from "./clone-identity.js";

export interface ProjectFolder {
    readonly root: string;
    readonly dataFolder: string;
}

/**
 * Whose data is in the project's folder: this clone's, that of another clone at the same path, or
 * unknown (written before North told clones apart).
 */
type Belonging = "this-clone" | "another-clone" | "unknown";

const NAME = "clone.json";

export async function belongingOf({ root, dataFolder }: ProjectFolder): Promise<Belonging> {
    const file = path.join(projectFolder(dataFolder, root), NAME);
    const stored = await readJson(file).catch(() => undefined);
    if (stored?.kind !== "value") return "unknown";
    return stored.value.clone === (await cloneIdentity(root)) ? "this-clone" : "another-clone";
}

/**
 * Claims the project's folder for this clone; call before writing to it. Sets aside another clone's
 * data, and permissions of unknown origin.
 */
export async function claimProjectFolder(
    project: ProjectFolder,
    report: Report = () => {}
): Promise<void> {
    if ((await belongingOf(project)) === "this-clone") return;
    const { root, dataFolder } = project;
    const folder = projectFolder(dataFolder, root);
    await withLock(folder, async () => {
        const belonging = await belongingOf(project);
        if (belonging === "this-clone") return;
        if (belonging === "another-clone") {
            await setAside(folder, "former");
            report(
                `Another repository was at ${root} before: its permissions and profile do not apply here.`
            );
        }
        const trust = path.join(folder, "trust.json");
        if ((await readJson(trust)).kind === "value") {
            await setAside(trust, "former");
            report(
                "Permissions now belong to one clone, so North asks for earlier ones again. /trust shows them."
            );
        }
        const content = formatJson({ root, clone: await makeCloneIdentity(root) });
        await writeFileAtomically(path.join(folder, NAME), content);
    });
}

/** At startup, tells the user once that earlier data no longer counts. */
export async function settleProjectFolder(project: ProjectFolder, report: Report): Promise<void> {
    const belonging = await belongingOf(project);
    const trust = path.join(projectFolder(project.dataFolder, project.root), "trust.json");
    const isOutdated =
        belonging === "another-clone" ||
        (belonging === "unknown" && (await readJson(trust)).kind === "value");
    if (isOutdated) await claimProjectFolder(project, report);
}
